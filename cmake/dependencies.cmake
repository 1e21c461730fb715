# SPDX-License-Identifier: BSD-3-Clause
# Finds everything rung needs, or stops with one error that lists what is missing and the Debian packages to install.
#
# Result: the target rung_dependencies, and RUNG_STATIC_LIBRARIES, the linker's words (-lfoo) for programs that link
# librung.a outside this build.

set(missing "")
set(packages "")
macro(rung_need found what package)
  if(NOT ${found})
    list(APPEND missing "${what}")
    list(APPEND packages ${package})
  endif()
endmacro()

find_package(PkgConfig QUIET)
rung_need(PKG_CONFIG_FOUND "pkg-config" pkg-config)
macro(rung_pkg_config prefix package) # modules
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
  endif()
  rung_need(${prefix}_FOUND ${ARGV2} ${package})
endmacro()

# OpenBLAS if there is one, else any BLAS and LAPACK that CMake knows; BLA_VENDOR names another
# (-DBLA_VENDOR=Generic: the system's -lblas and -llapack). int is their integer.
set(BLA_SIZEOF_INTEGER 4)
if(NOT BLA_VENDOR AND "$ENV{BLA_VENDOR}" STREQUAL "")
  set(BLA_VENDOR OpenBLAS)
  find_package(LAPACK QUIET)
  unset(BLA_VENDOR)
endif()
if(NOT LAPACK_FOUND)
  find_package(LAPACK QUIET)
endif()
rung_need(LAPACK_FOUND "BLAS and LAPACK" libopenblas-dev)

# Their C interfaces are part of them (OpenBLAS as built upstream), or libraries of their own (Debian's lapacke).
include(CheckFunctionExists)
function(rung_c_interface name function header package)
  set(CMAKE_REQUIRED_LIBRARIES ${LAPACK_LIBRARIES})
  set(CMAKE_REQUIRED_QUIET ON)
  string(TOUPPER ${name} NAME)
  if(LAPACK_FOUND)
    check_function_exists(${function} RUNG_BLAS_HAS_${NAME})
  endif()
  set(libraries "")
  if(NOT RUNG_BLAS_HAS_${NAME})
    find_library(${NAME}_LIBRARY ${name})
    mark_as_advanced(${NAME}_LIBRARY)
    set(libraries ${${NAME}_LIBRARY})
  endif()
  find_path(${NAME}_INCLUDE_DIR ${header} PATH_SUFFIXES openblas cblas lapacke)
  mark_as_advanced(${NAME}_INCLUDE_DIR)
  set(found OFF)
  if(${NAME}_INCLUDE_DIR AND (RUNG_BLAS_HAS_${NAME} OR ${NAME}_LIBRARY))
    set(found ON)
  endif()
  rung_need(found "${NAME} (${header} and its library)" ${package})
  set(missing "${missing}" PARENT_SCOPE)
  set(packages "${packages}" PARENT_SCOPE)
  set(${NAME}_LIBRARIES "${libraries}" PARENT_SCOPE)
endfunction()
rung_c_interface(cblas cblas_dgemm cblas.h libopenblas-dev)
rung_c_interface(lapacke LAPACKE_dpotrf_work lapacke.h liblapacke-dev)

rung_pkg_config(JANSSON libjansson-dev jansson)
find_package(ZLIB QUIET)
rung_need(ZLIB_FOUND "zlib" zlib1g-dev)
find_package(OpenMP QUIET COMPONENTS C)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  rung_need(OpenMP_C_FOUND "OpenMP for ${CMAKE_C_COMPILER}" libomp-dev)
else()
  rung_need(OpenMP_C_FOUND "a C compiler with OpenMP" gcc)
endif()
find_package(Threads QUIET)
rung_need(Threads_FOUND "POSIX threads" libc6-dev)

if(NOT SKBUILD)
  rung_pkg_config(CAIRO libcairo2-dev cairo cairo-pdf cairo-png)
  rung_pkg_config(SQLITE libsqlite3-dev sqlite3)

  # Unless asked for or declined, the tests are built where they can be.
  set(without_tests "${missing}")
  rung_pkg_config(CMOCKA libcmocka-dev cmocka)
  find_program(PYTHON3 python3)
  rung_need(PYTHON3 "python3" python3)
  if(NOT PROJECT_IS_TOP_LEVEL) # inside another project, whose tests are others
    set(BUILD_TESTING OFF)
  elseif(NOT DEFINED BUILD_TESTING)
    set(BUILD_TESTING ON)
    if(NOT missing STREQUAL without_tests)
      message(STATUS "Tests: not built, they need cmocka and Python (Debian: libcmocka-dev python3)")
      set(BUILD_TESTING OFF)
    endif()
  endif()
  if(NOT BUILD_TESTING)
    set(missing "${without_tests}")
    list(REMOVE_ITEM packages libcmocka-dev python3)
  endif()
endif()

if(missing)
  list(JOIN missing "\n  " missing)
  list(REMOVE_DUPLICATES packages)
  list(JOIN packages " " packages)
  message(FATAL_ERROR "rung needs, and CMake did not find:\n  ${missing}\n"
          "On Debian and Ubuntu, run as root:\n  apt-get install ${packages}\n")
endif()
list(REMOVE_DUPLICATES LAPACK_LIBRARIES)
message(STATUS "BLAS and LAPACK: ${LAPACK_LIBRARIES}")

add_library(rung_dependencies INTERFACE)
target_include_directories(rung_dependencies SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
target_link_libraries(rung_dependencies INTERFACE ${LAPACKE_LIBRARIES} ${CBLAS_LIBRARIES} LAPACK::LAPACK
                      PkgConfig::JANSSON ZLIB::ZLIB OpenMP::OpenMP_C Threads::Threads m)

set(RUNG_STATIC_LIBRARIES "")
foreach(library ${LAPACKE_LIBRARIES} ${CBLAS_LIBRARIES} ${LAPACK_LIBRARIES} ${JANSSON_LINK_LIBRARIES} ${ZLIB_LIBRARIES}
        ${OpenMP_C_LIBRARIES} ${CMAKE_THREAD_LIBS_INIT} -lm)
  if(library MATCHES "^(/.*)/lib([^/]+)\\.(so|a|dylib|tbd)[.0-9]*$")
    if(NOT CMAKE_MATCH_1 IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND RUNG_STATIC_LIBRARIES -L${CMAKE_MATCH_1})
    endif()
    set(library -l${CMAKE_MATCH_2})
  endif()
  list(REMOVE_ITEM RUNG_STATIC_LIBRARIES ${library}) # of those named twice the last counts: the linker reads once
  list(APPEND RUNG_STATIC_LIBRARIES ${library})
endforeach()
