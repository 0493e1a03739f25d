import { Client } from 'undici'
import { sendHook } from './send-hook.ts'
import { serveTurns } from './serve-turns.ts'

// The least that could deliver webhooks: sign and POST, some loops at once, each over a connection of its own.
// `GET /<milliseconds>/<loops>` answers how many were taken.
const receiver = process.env['BENCH_RECEIVER'] ?? ''

serveTurns(sendHook, () => new Client(receiver, { pipelining: 1 }))
