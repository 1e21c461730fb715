# SPDX-License-Identifier: BSD-3-Clause
# Writes files as texts in C (src/export/runtime.h). usage: cmake -DOUT=FILE -DFILES=A;B -P runtime.cmake
set(code "#include \"export/runtime.h\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND code "const char runtime_${identifier}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${code}")
