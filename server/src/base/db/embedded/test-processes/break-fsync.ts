import fs from 'node:fs'

// Loaded before everything in a test process, its threads included: syncing fails while the named file exists.
const marker = process.env['BREAK_FSYNC_WHILE'] ?? ''
const sync = fs.fsyncSync
fs.fsyncSync = (descriptor) => {
  if (fs.existsSync(marker)) throw Object.assign(new Error('broken disk'), { code: 'EIO' })
  sync(descriptor)
}
