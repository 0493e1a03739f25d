import fs from 'node:fs'

/**
 * When a process started, as one word: the boot of the machine, and clock ticks since (field 22 of proc_pid_stat(5)). With its number
 * it names one process for good, which a number alone does not: numbers are used again. Undefined where there is no such process, and
 * on systems without Linux's procfs.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return undefined
  }
}
