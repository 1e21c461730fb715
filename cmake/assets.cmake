# SPDX-License-Identifier: BSD-3-Clause
# Writes the files of a page as a C table (cli/label/assets.h). usage: cmake -DOUT=FILE -DFILES=A;B -P assets.cmake
set(code "#include \"label/assets.h\"\n")
set(table "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND code "static const unsigned char ${identifier}[] = {${bytes}};\n")
  string(APPEND table "    {\"${name}\", ${identifier}, sizeof ${identifier}},\n")
endforeach()
file(WRITE ${OUT} "${code}const asset assets[] = {\n${table}    {0}};\n")
