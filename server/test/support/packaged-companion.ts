import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { reportLinkFiles } from './link-report.ts'
import { until } from './muster-process.ts'
import type { osqueryClient } from './osquery-client.ts'

type Installed = {
  /** Below which the package is installed. */
  root: string
  /** For what the companion keeps. */
  folder: string
  machine: { uuid: string; serial: string }
  /** The folder of a Node of the device; without it there is only what the package brought. */
  nodeFolder?: string
}

/** Starts the companion of a package as its unit does, with a program in place of osqueryi; it is killed when the test is over. */
export async function startPackagedCompanion(
  hooks: { after(work: () => Promise<void>): void },
  { root, folder, machine, nodeFolder }: Installed,
) {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const answer = JSON.stringify([{ uuid: machine.uuid, hardware_serial: machine.serial }])
  await writeFile(join(bin, 'osqueryi'), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 })
  const state = join(folder, 'state')
  // Nothing of this project is in reach.
  const path = [bin, ...(nodeFolder === undefined ? [] : [nodeFolder]), '/usr/bin', '/bin'].join(':')
  const env = { PATH: path, STATE_DIRECTORY: state, NODE_COMPILE_CACHE: join(folder, 'cache') }
  const launcher = join(root, 'usr/lib/muster-companion/muster-companion')
  const launch = (argument: string) => spawn(launcher, [argument], { env, cwd: '/' })
  const companion = launch(join(root, 'etc/muster-companion/companion.json'))
  const ended = once(companion, 'exit')
  let said = ''
  for (const stream of [companion.stdout, companion.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  }
  hooks.after(async () => {
    if (companion.exitCode === null) companion.kill('SIGKILL')
  })
  const linkFiles = () => readdir(join(state, 'link')).catch(() => [])

  return {
    stateFile: join(state, 'companion.json'),
    linkFiles,
    /** Lets the osquery node of the machine report the file that the companion makes. */
    async link(client: ReturnType<typeof osqueryClient>): Promise<void> {
      let name = ''
      await until(30_000, async () => {
        if (companion.exitCode !== null) throw new Error(`The companion has ended with ${companion.exitCode}: ${said}`)
        name = (await linkFiles())[0] ?? ''
        return name !== ''
      })
      await until(60_000, () => reportLinkFiles(client, [name]))
    },
    /** What `status` says, and what it ends with. */
    async status(): Promise<{ said: string; exit: number | null }> {
      const asked = launch('status')
      const [out, err, [exit]] = await Promise.all([text(asked.stdout), text(asked.stderr), once(asked, 'exit')])
      return { said: out + err, exit }
    },
    /** Ends it as systemd does, and resolves to its exit code. */
    async stop(): Promise<number | null> {
      companion.kill('SIGTERM')
      const [exit] = await ended
      return exit
    },
  }
}
