# SPDX-License-Identifier: BSD-3-Clause
# bash completion for rung: passes the words to 'rung complete' and its answer to bash.
_rung() {
    local words=() joined= i word line
    # Bash cuts words at = signs; rung does not.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $joined || $word == = ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        if [[ $word == = ]]; then joined=yes; else joined=; fi
    done
    local current=${COMP_WORDS[COMP_CWORD]} whole=${words[${#words[@]} - 1]}
    [[ $current == = ]] && current=
    local before=${whole%"$current"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
        else
            line=${line%%$'\t'*}
            COMPREPLY+=("${line#"$before"}")
            [[ $line == *= ]] && compopt -o nospace 2>/dev/null
        fi
    done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
    return 0
}
complete -F _rung rung
