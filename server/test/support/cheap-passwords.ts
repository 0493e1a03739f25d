import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const argon2 = crypto.argon2

/**
 * Makes the hashing of passwords cheap in this process: in tests of what stands around it, it would take most of the
 * time. What the product asks for is checked at each call.
 */
export function makePasswordsCheap(): void {
  crypto.argon2 = (algorithm, parameters, callback) => {
    assert.deepEqual([algorithm, parameters.memory, parameters.passes], ['argon2id', 65_536, 3])
    argon2(algorithm, { ...parameters, memory: 64, passes: 1 }, callback)
  }
  syncBuiltinESMExports()
}
