import { generateKeyPairSync, randomUUID, sign as signCallback } from 'node:crypto'
import { promisify } from 'node:util'
import { serveTurns } from './serve-turns.ts'

// The least that a token costs: its signature.
const sign = promisify(signCallback)
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const content = Buffer.from(`${randomUUID()}.${'x'.repeat(800)}`)

serveTurns(async () => void (await sign('RSA-SHA256', content, privateKey)))
