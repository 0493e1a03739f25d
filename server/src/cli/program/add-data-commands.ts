import type { Command } from 'commander'
import { dataGroups } from '../data-groups.ts'
import type { CommandGroup } from '../describe-commands.ts'
import { inputOf } from './file-input.ts'
import { runIntoFile } from './run-into-file.ts'
import { runOnData, type Shell } from './shell.ts'
import { type Ready, takeDescribed } from './take-described.ts'

/** Adds all groups that run on the data of an installation, and the commands of those that `args` names. */
export async function addDataCommands(program: Command, shell: Shell, args: readonly string[]): Promise<void> {
  for (const { name, alias = name, summary, describe, load } of dataGroups) {
    const own = program.command(name).description(summary)
    if (alias !== name) own.alias(alias)
    if (!args.includes(name) && !args.includes(alias)) continue
    for (const [index, group] of (await describe()).entries()) {
      addGroup(own, shell, group, async (key, { args, into, from }) => {
        const loadOne = async () => {
          const { [key]: loaded } = (await load[index]?.()) ?? {}
          if (!loaded) throw new Error(`Nothing runs ${name} ${key}`)
          return loaded
        }
        if (!into) return runOnData(shell, loadOne, args, { ...shell.io, input: inputOf(shell, from) })
        await runIntoFile(shell, into, loadOne, args)
        if (into.note !== undefined) await shell.io.line(into.note)
      })
    }
  }
}

/** Adds the commands of a group as their descriptions say; `run` is called with the key of the one that was typed. */
export function addGroup(
  own: Command,
  shell: Shell,
  { commands, within = {} }: CommandGroup,
  run: (key: string, ready: Ready) => Promise<void>,
): void {
  for (const [key, described] of Object.entries(commands)) {
    if (typeof described === 'function') described(own, shell)
    else {
      const [, first, words = described.words] = /^([a-z-]+) ([a-z].*)$/.exec(described.words) ?? []
      const parent = first === undefined ? own : childOf(own, first, within[first] ?? '')
      takeDescribed(parent.command(words), described, (ready) => run(key, ready))
    }
  }
}

const childOf = (parent: Command, name: string, summary: string): Command =>
  parent.commands.find((one) => one.name() === name) ?? parent.command(name).description(summary)
