# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of brunt for bash. All names come from brunt itself: from `brunt list` and the help
# texts, so that what a build has is what is offered.

_brunt_commands()
{
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

_brunt_options() # BRUNT COMMAND
{
	"$1" "$2" --help 2>/dev/null | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--?[a-z-]+'
}

_brunt_names() # BRUNT KIND
{
	"$1" list "$2" 2>/dev/null | sed -n 's/^\([^ ]*\) .*/\1/p'
}

# "key=" a line, or with a third argument the values of that key where they are counted up
_brunt_keys() # BRUNT KIND NAME [KEY]
{
	local keys

	keys=$("$1" list "$2" "$3" 2>/dev/null | sed -n 's/^    \([a-z_]*=[^ ]*\).*/\1/p')
	if [ $# -lt 4 ]; then
		sed 's/=.*/=/' < <(printf '%s\n' "$keys")
	else
		sed -n "s/^$4=\([a-z0-9|-]*|[a-z0-9|-]*\)\$/\1/p" <<<"$keys" | tr '|' '\n'
	fi
}

# Of a word like "blktrace,keep=y": candidates for what stands behind the last comma, with all
# that stands before it.
_brunt_configuration() # BRUNT KIND NAME WORD MORE
{
	local before=${4%"${4##*,}"} last=${4##*,} candidates

	if [[ $last == *=* ]]; then
		candidates=$(_brunt_keys "$1" "$2" "$3" "${last%%=*}")
		before+=${last%%=*}=
	else
		candidates="$(_brunt_keys "$1" "$2" "$3") $5"
	fi
	while IFS= read -r last; do
		printf '%s%s\n' "$before" "$last"
	done < <(tr ' ' '\n' <<<"$candidates")
}

# What may stand in place of a word; nothing: a file.
_brunt_candidates() # BRUNT COMMAND WORKLOAD PREVIOUS WORD
{
	local brunt=$1 command=$2 workload=$3 previous=$4 word=$5

	case $previous in
	-t | --tracer)
		if [[ $word == *,* ]]; then
			_brunt_configuration "$brunt" tracers "${word%%,*}" "$word" name=
		else
			_brunt_names "$brunt" tracers
		fi
		return ;;
	-c | --config)
		[[ $word != *,* ]] || _brunt_configuration "$brunt" workloads "$workload" "$word" \
			"tracer= $(_brunt_names "$brunt" settings | sed 's/$/./')"
		return ;;
	--sweep) _brunt_keys "$brunt" workloads "$workload"; return ;;
	--format) _brunt_names "$brunt" reports; return ;;
	--as) _brunt_names "$brunt" parsers; return ;;
	--metric | --primary) _brunt_names "$brunt" metrics; return ;;
	-o | -f | --output | --file) return ;;
	esac
	case $word in
	-*) _brunt_options "$brunt" "$command" ;;
	*=*) _brunt_configuration "$brunt" workloads "$workload" "$word" '' ;;
	*)
		case $command in
		'') _brunt_commands "$brunt" ;;
		help) _brunt_commands "$brunt" ;;
		run | plan)
			if [ -n "$workload" ]; then
				_brunt_keys "$brunt" workloads "$workload"
			else
				_brunt_names "$brunt" workloads
			fi ;;
		list)
			if [ -n "$workload" ]; then
				_brunt_names "$brunt" "$workload"
			else
				echo workloads tracers settings parsers reports metrics
			fi ;;
		esac ;;
	esac
}

_brunt()
{
	local line=${COMP_LINE:0:COMP_POINT} word cut candidate command='' workload=''
	local -a words

	# by blanks alone: bash itself cuts at = and : as well
	read -ra words <<<"$line"
	word=''
	if [[ $line != *[[:space:]] ]]; then
		word=${words[-1]}
		unset 'words[-1]'
	fi
	[ "${#words[@]}" -lt 2 ] || command=${words[1]}
	if [ "${#words[@]}" -gt 2 ] && [[ ${words[2]} != -* ]]; then
		workload=${words[2]}
	fi
	# bash puts a candidate behind the last = or : of the word
	cut=${word%"${word##*[=:]}"}
	COMPREPLY=()
	# not by compgen -W, which would expand what was typed
	while IFS= read -r candidate; do
		[[ $candidate != "$word"* ]] || COMPREPLY+=("${candidate#"$cut"}")
	done < <(_brunt_candidates "$1" "$command" "$workload" "${words[-1]}" "$word" | tr ' ' '\n')
	[[ ${COMPREPLY[*]} != *[=.,] ]] || compopt -o nospace 2>/dev/null
}

complete -o default -F _brunt brunt
