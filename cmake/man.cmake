# SPDX-License-Identifier: BSD-3-Clause
# Writes the manual pages of the command: cmake -DRUNG=PROGRAM -DOUT=FOLDER -P man.cmake
function(page_of out) # what `rung help --man WORD` says
  execute_process(COMMAND ${RUNG} help --man ${ARGN} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${RUNG} complete "" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+\t" commands "${lines}") # each before what it does
file(REMOVE_RECURSE ${OUT})
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  if(NOT command STREQUAL "help")
    page_of(page ${command})
    file(WRITE ${OUT}/rung-${command}.1 "${page}")
  endif()
endforeach()
page_of(page)
file(WRITE ${OUT}/rung.1 "${page}") # the last: its date is that of all
