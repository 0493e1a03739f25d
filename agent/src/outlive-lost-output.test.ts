import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'

const skip = existsSync('/dev/full') ? false : 'needs /dev/full'

for (const isOutlived of [true, false]) {
  test(`a program ${isOutlived ? 'goes on' : 'ends without it'} where nothing that it says can be written`, {
    skip,
  }, () => {
    const full = openSync('/dev/full', 'w')
    const { href } = new URL('outlive-lost-output.ts', import.meta.url)
    const program = `const { outliveLostOutput } = await import('${href}')
      if (${isOutlived}) outliveLostOutput()
      for (const line of ['first', 'second']) for (const to of [process.stdout, process.stderr]) to.write(line)
      setTimeout(() => process.exit(3), 200)`
    const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full, full],
      timeout: 60_000,
    })
    closeSync(full)
    assert.equal(ran.status === 3, isOutlived)
  })
}
