import fs from 'node:fs'
import path from 'node:path'

/** Brings a folder with all that is in it to the disk. */
export function syncFiles(folder: string): void {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    syncPath(path.join(entry.parentPath, entry.name))
  }
  syncPath(folder)
}

export function syncPath(file: string): void {
  const descriptor = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
