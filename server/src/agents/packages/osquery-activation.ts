import { shellWord } from './shell-text.ts'

export type OsqueryPlace = {
  /** In front of what it says. */
  name: string
  /** The folder with Muster's files. */
  configFolder: string
  /** What the service of stock osquery reads. */
  flagFile: string
  /** Shell text that is true where osquery is installed. */
  isInstalled: string
  /** Shell text that makes the running service read its flags. */
  restart: string
  /** The same where it need not run. */
  restartIfRunning: string
  /** What a person does once osquery is installed. */
  afterwards: string
}

const preamble = ({ name, configFolder, flagFile }: OsqueryPlace): string => `root=\${DPKG_ROOT:-\${DESTDIR:-}}
ours=${shellWord(`${configFolder}/osquery.flags`)}
flags=$root${shellWord(flagFile)}
kept=$flags.before-muster
say() { printf '%s\\n' ${shellWord(`${name}: `)}"$*"; }
`

/**
 * Shell text that leads osquery's flag file to ours and restarts osquery. A flag file that was there is kept beside it.
 * Under DPKG_ROOT or DESTDIR it only places files, as the system there does not run.
 */
export const activateOsquery = (place: OsqueryPlace): string => `${preamble(place)}
if [ "$(readlink "$flags" 2>/dev/null || true)" != "$ours" ]; then
  mkdir -p "\${flags%/*}"
  if [ -s "$flags" ]; then
    mv -f "$flags" "$kept"
    say "the flag file that was there is kept as $kept"
  fi
  rm -f "$flags"
  ln -s "$ours" "$flags"
fi
if [ -n "$root" ]; then
  say "placed below $root; nothing was started"
elif ${place.isInstalled}; then
  ${place.restart}
else
  say 'osquery is not installed. Install osquery 5 from https://osquery.io/downloads;'
  say ${shellWord(place.afterwards)}
fi
`

/** Shell text that gives osquery back the flag file that it had. */
export const deactivateOsquery = (place: OsqueryPlace): string => `${preamble(place)}
if [ "$(readlink "$flags" 2>/dev/null || true)" = "$ours" ]; then
  rm -f "$flags"
  if [ -e "$kept" ]; then
    mv -f "$kept" "$flags"
    say "$flags is again what it was"
  fi
fi
if [ -z "$root" ] && ${place.isInstalled}; then
  ${place.restartIfRunning}
fi
`
