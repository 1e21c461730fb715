# SPDX-License-Identifier: BSD-3-Clause
# What is installed: the command with its manual pages and completions; the header, the static library and, unless
# BUILD_SHARED_LIBS is OFF, the shared one; rung.pc and the CMake package, with which others find them. All of it
# may be moved afterwards.
include(CMakePackageConfigHelpers)

set(libraries rung_static)
if(BUILD_SHARED_LIBS)
  list(APPEND libraries rung_shared)
endif()
install(TARGETS rung_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${libraries} EXPORT rungTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/rung/rung.h include/rung/experimental.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rung)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES completions/rung.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rung)
install(FILES completions/_rung DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# pkg-config: the prefix is found from where rung.pc stands.
file(RELATIVE_PATH RUNG_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" RUNG_PC_PREFIX "${RUNG_PC_PREFIX}")
list(JOIN RUNG_STATIC_LIBRARIES " " RUNG_PC_PRIVATE)
configure_file(cmake/rung.pc.in rung.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rung.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(rung): rung::rung is the library of choice, rung::static and rung::shared are each by name.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rung)
configure_package_config_file(cmake/rungConfig.cmake.in rungConfig.cmake INSTALL_DESTINATION ${package}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(rungConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rungConfig.cmake ${PROJECT_BINARY_DIR}/rungConfigVersion.cmake
        DESTINATION ${package})
install(EXPORT rungTargets NAMESPACE rung:: DESTINATION ${package})
