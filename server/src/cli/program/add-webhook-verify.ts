import { type Command, InvalidArgumentError } from 'commander'
import { exitCodes } from '../command-error.ts'
import { readBytes } from './read-bytes.ts'
import type { Shell } from './shell.ts'

type Flags = {
  secretFile: string
  body: string
  headers?: string
  id?: string
  timestamp?: string
  signature?: string
  authorization?: string
  tolerance: number
  anyAge: boolean
}

const help = `
The secret file has a secret on each line: after a roll, the new one and the one before.
Headers are read as HTTP and curl write them, or as JSON from the delivery log; flags come before them.
Exit code 0: valid; 1: not.`

/** Needs no server and no database. */
export function addWebhookVerify(webhooks: Command, shell: Shell): void {
  webhooks
    .command('verify')
    .description('Check the signature of a received request with an endpoint’s secret, or say what is wrong')
    .requiredOption('--secret-file <file>', 'holds the secret of the endpoint')
    .requiredOption('--body <file>', 'the body, byte for byte as it was received')
    .option('--headers <file>', 'the headers of the request')
    .option('--id <id>', 'webhook-id')
    .option('--timestamp <seconds>', 'webhook-timestamp')
    .option('--signature <signatures>', 'webhook-signature')
    .option('--authorization <hex>', 'Authorization')
    .option('--tolerance <seconds>', 'how far from now it may have been signed', readTolerance, 300)
    .option('--any-age', 'however long ago it was signed', false)
    .addHelpText('after', help)
    .action(async (flags: Flags) => {
      const { verifyDelivery } = await import('../webhooks/verify-delivery.ts')
      const { faults, facts } = verifyDelivery(await readReceived(flags))
      for (const sentence of faults.length > 0 ? ['Not valid.', ...faults] : ['Valid.', ...facts]) {
        await shell.io.line(sentence)
      }
      shell.exitCode = faults.length > 0 ? exitCodes.failure : exitCodes.ok
    })
}

async function readReceived(flags: Flags) {
  const { readHeaders } = await import('../webhooks/read-headers.ts')
  const { headers: file } = flags
  const headers = file === undefined ? new Map<string, string>() : readHeaders(String(await readBytes(file)), file)
  const lines = String(await readBytes(flags.secretFile)).split('\n')
  return {
    secrets: lines.map((line) => line.trim()).filter((line) => line !== ''),
    body: await readBytes(flags.body),
    id: flags.id ?? headers.get('webhook-id'),
    timestamp: flags.timestamp ?? headers.get('webhook-timestamp'),
    signature: flags.signature ?? headers.get('webhook-signature'),
    authorization: flags.authorization ?? headers.get('authorization'),
    toleranceSeconds: flags.anyAge ? null : flags.tolerance,
    nowSeconds: Math.floor(Date.now() / 1_000),
  }
}

function readTolerance(text: string): number {
  const seconds = Number(text)
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a number of seconds')
  return seconds
}
