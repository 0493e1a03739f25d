import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { readCpio, readXar } from './read-flat-package.ts'

type Hooks = { after(work: () => Promise<void>): void }

type Mac = { refusals?: number; isArm?: boolean; macos?: string }

/** Commands of macOS, which write down how they were called; `launchctl bootstrap` fails as often as the file says. */
const commands: Readonly<Record<string, string>> = {
  launchctl: `case "$1" in
  print) test -e "$calls.loaded"; exit $? ;;
  bootout) rm -f "$calls.loaded"; exit 3 ;;
  bootstrap)
  left=$(cat "$calls.refusals"); [ "$left" = 0 ] && : > "$calls.loaded" && exit 0
  echo $((left - 1)) > "$calls.refusals"; exit 5 ;; esac`,
  tmutil: 'exit 0',
  pkgutil: 'exit 0',
  sleep: 'exit 0',
}

/** Those that say what a Mac is. */
const questions = ({ isArm = true, macos = '14.5' }: Mac): Readonly<Record<string, string>> => ({
  uname: 'echo Darwin',
  sysctl: isArm ? 'echo 1' : 'echo "sysctl: unknown oid" >&2; exit 1',
  sw_vers: `echo ${macos}`,
})

const places = 'opt/muster-companion|Library/|var/log/|var/run/|etc/newsyslog'
const systemPath = 'PATH=/usr/bin:/bin:/usr/sbin:/sbin'

/**
 * A folder in place of a Mac's root, in which a package is installed as macOS does it: the payload, and then the script. In the scripts
 * the places lead below the folder; nothing else is changed.
 */
export function standInMac(hooks: Hooks) {
  const root = mkdtempSync(join(tmpdir(), 'muster-mac-root-'))
  hooks.after(() => rm(root, { recursive: true, force: true }))
  const bin = join(root, 'bin')
  const calls = join(root, 'calls')
  const ownPath = `PATH=${bin}:/usr/bin:/bin`
  const moved = (text: string): string =>
    text.replaceAll(new RegExp(`(?<![\\w.])/(${places})`, 'g'), `${root}/$1`).replaceAll(systemPath, ownPath)
  /** The same of the scripts that an archive brings. */
  const tar = `/usr/bin/tar "$@" && sed -i -E -e 's#(^|[^[:alnum:]_.])/(${places})#\\1${root}/\\2#g' -e 's#${systemPath}#${ownPath}#' "$4"/scripts/*`

  async function prepare(mac: Mac): Promise<void> {
    for (const folder of ['bin', 'Library/LaunchDaemons', 'Library/Application Support', 'var/log', 'var/run', 'etc'])
      await mkdir(join(root, folder), { recursive: true })
    await writeFile(calls, '')
    await writeFile(`${calls}.refusals`, String(mac.refusals ?? 0))
    for (const [name, does] of Object.entries({ ...commands, ...questions(mac), tar })) {
      const note = name in commands ? `echo "${name} $*" >> "$calls"\n` : ''
      await writeFile(join(bin, name), `#!/bin/sh\ncalls=${calls}\n${note}${does}\n`, { mode: 0o755 })
    }
  }

  async function unpack(archive: Buffer, to: string): Promise<void> {
    for (const [path, { mode, content }] of readCpio(archive)) {
      const place = join(to, path)
      if ((mode & 0o170000) === 0o040000) {
        await mkdir(place, { recursive: true })
        continue
      }
      await mkdir(dirname(place), { recursive: true })
      await rm(place, { force: true })
      await writeFile(place, content.includes(0) ? content : moved(content.toString()), { mode: mode & 0o777 })
      await chmod(place, mode & 0o777)
    }
  }

  return {
    root,
    bin,
    /** Installs it; `target` is the volume. Returns what the script ended with and said. */
    async install(bytes: Buffer, { target = '/', ...mac }: Mac & { target?: string } = {}) {
      await prepare(mac)
      const { files } = readXar(bytes)
      await unpack(files.get('Payload') ?? Buffer.alloc(0), root)
      const scripts = join(root, 'scripts')
      await rm(scripts, { recursive: true, force: true })
      await unpack(files.get('Scripts') ?? Buffer.alloc(0), scripts)
      const { status, stdout, stderr } = spawnSync(join(scripts, 'postinstall'), ['x.pkg', target, target], {
        encoding: 'utf8',
        // As the installer does, with an environment of its own.
        env: { PATH: '/nowhere', HOME: '/nowhere' },
      })
      await rm(scripts, { recursive: true, force: true })
      return { status, said: stdout + stderr }
    },
    /** Runs a script as root, as an agent of an MDM does, or as much of it as comes in by a pipe. */
    async runScript(text: string, { isPiped = false, ...mac }: Mac & { isPiped?: boolean } = {}) {
      await prepare(mac)
      const file = join(root, 'script.sh')
      await writeFile(file, moved(text), { mode: 0o600 })
      const running = spawn('/bin/sh', isPiped ? ['-s'] : [file], { env: { PATH: '/nowhere', HOME: '/nowhere' } })
      running.stdin.end(isPiped ? moved(text) : '')
      const [said, wrong, ended] = await Promise.all([
        buffer(running.stdout),
        buffer(running.stderr),
        once(running, 'close'),
      ])
      return { status: ended[0] as number | null, said: String(said) + String(wrong) }
    },
    /** How the commands of macOS were called since the installation. */
    calls: async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== ''),
    /** Puts a Node of this system in the place of the Mac's. */
    async bringNode(): Promise<void> {
      const node = join(root, 'opt/muster-companion/bin/node')
      await rm(node, { force: true })
      await symlink(process.execPath, node)
    },
    /** Starts what the LaunchDaemon's property list says, as launchd does; what it says goes to `log`, else to the test. */
    async launch(log?: string) {
      const list = await readFile(join(root, 'Library/LaunchDaemons/com.muster.companion.plist'), 'utf8')
      const [, array = ''] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(list) ?? []
      const [program = '', ...typed] = [...array.matchAll(/<string>(.*?)<\/string>/g)].map(([, text]) => text ?? '')
      const env = { NODE_OPTIONS: '--require /nowhere', DYLD_INSERT_LIBRARIES: '/nowhere', PATH: '/nowhere' }
      const said = log === undefined ? 'pipe' : openSync(log, 'a')
      const running = spawn(program, typed, { env, cwd: '/', stdio: ['ignore', said, said] })
      hooks.after(async () => void running.kill('SIGKILL'))
      return { running, ended: once(running, 'exit') }
    },
    run: (command: string, ...typed: string[]) =>
      spawnSync(command, typed, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } }),
  }
}
