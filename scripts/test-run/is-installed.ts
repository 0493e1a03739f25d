import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian has the programs of servers where only root's PATH looks. */
const ofServers = ['/usr/sbin', '/sbin']

/** Whether a program, or with a path any file, is on this machine. */
export function isInstalled(need: string, searchPath = process.env['PATH'] ?? ''): boolean {
  if (need.startsWith('/')) return isThere(need, constants.R_OK)
  return [...searchPath.split(delimiter), ...ofServers].some((folder) => isThere(join(folder, need), constants.X_OK))
}

function isThere(file: string, mode: number): boolean {
  try {
    accessSync(file, mode)
    return true
  } catch {
    return false
  }
}
