import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { lowestMacosOf } from '../macos/lowest-macos.ts'
import { lowestMajor } from './pinned-runtimes.ts'
import type { ExecutableFacts } from './read-executable.ts'

// What the first bytes of an executable say of its system, by ELF's e_machine, Mach-O's cputype and PE's Machine.

const elfMachines: Readonly<Record<number, RuntimeSystem>> = { 62: 'linux-x64', 183: 'linux-arm64' }
const machTypes: Readonly<Record<number, RuntimeSystem>> = { 16777223: 'darwin-x64', 16777228: 'darwin-arm64' }
const peMachines: Readonly<Record<number, RuntimeSystem>> = { 34404: 'win-x64', 43620: 'win-arm64' }

const machMagic64 = 0xfeedfacf
const elfMagic = 0x7f454c46

/** The system that an executable is for; undefined where it is for none of ours, or is no executable. */
export function systemOf(head: Buffer): RuntimeSystem | undefined {
  if (head.length < 64) return undefined
  if (head.readUInt32BE(0) === elfMagic) return elfMachines[head.readUInt16LE(18)]
  if (head.readUInt32LE(0) === machMagic64) return machTypes[head.readUInt32LE(4)]
  if (head.toString('latin1', 0, 2) !== 'MZ') return undefined
  const at = head.readUInt32LE(0x3c)
  if (at + 6 > head.length || head.toString('latin1', at, at + 4) !== 'PE\0\0') return undefined
  return peMachines[head.readUInt16LE(at + 4)]
}

/** Whether the program interpreter of an ELF file, which stands in its first page in plain text, is glibc's. */
export const isForGlibc = (head: Buffer): boolean => /\/ld-linux-[a-z0-9-]+\.so/.test(head.toString('latin1'))

/** Why an executable is no Node to bring to that system, as the end of a sentence about the file; undefined where it is. */
export function faultOfExecutable(system: RuntimeSystem, { head, version }: ExecutableFacts): string | undefined {
  const found = systemOf(head)
  if (found === undefined) return 'holds no Node for a system that Muster knows'
  if (found !== system) return `is for ${found}, not for ${system}`
  if (system.startsWith('linux-') && !isForGlibc(head)) return 'needs another C library than glibc'
  if (system.startsWith('darwin-') && lowestMacosOf(head) === undefined) return 'does not say which macOS it runs on'
  if (version === undefined) return 'holds a program that is not Node'
  if (Number(version.split('.')[0]) < lowestMajor) return `holds Node ${version}: give Node ${lowestMajor} or later`
  return undefined
}
