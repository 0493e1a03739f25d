import type { Command } from 'commander'
import type { ReceiverFlags } from '../receiver/plan-receiver.ts'
import { configOf, type Shell } from './shell.ts'

type Flags = ReceiverFlags & { json?: boolean; ca?: string }

const environmentHelp = `
Secrets are read from the environment: MUSTER_API_KEY, a key with the permission manage_ssf_streams;
MUSTER_POLL_TOKEN, of the stream that is polled; MUSTER_RECEIVER_AUTHORIZATION, what a transmitter has
to send as Authorization.`

export function addReceiver(program: Command, shell: Shell): void {
  program
    .command('receiver')
    .description('Receive events of a stream and print them: a Shared Signals receiver for trials')
    .option('--poll [stream]', 'fetch them, from a stream or from one that is made for it, instead of being pushed to')
    .option('--create', 'make the stream, and delete it at the end')
    .option('--server <url>', 'the transmitter (default: the configured installation)')
    .option('--ca <file>', 'an authority to trust for the transmitter, PEM')
    .option('--port <number>', 'to listen on, at 127.0.0.1 (default: 8935)')
    .option('--http', 'listen without TLS, behind something that ends it')
    .option('--cert <file>', 'certificate, PEM, instead of one that is made')
    .option('--key <file>', 'its private key')
    .option('--url <url>', 'the address at which the transmitter reaches it (default: its own)')
    .option('--audience <audience>', 'who tokens have to be for (default: its address)')
    .option('--authorization-file <file>', 'holds what has to be sent as Authorization')
    .option('--answer <fault>', 'answer all events 503, 429 or 400, or hang, to see what the transmitter does')
    .option('--for <seconds>', 'how long to do so from the first event on, and then what is right')
    .option('--json', 'a line of JSON for each event')
    .addHelpText('after', environmentHelp)
    .action(async ({ json = false, ca, ...flags }: Flags) => {
      const { dataDir, baseUrl } = configOf(shell)
      const { planReceiver } = await import('../receiver/plan-receiver.ts')
      const plan = await planReceiver({ flags, env: shell.env, config: { baseUrl } })
      const { trustAuthority } = await import('../receiver/trust-authority.ts')
      if (ca !== undefined) await trustAuthority(ca)
      const { runReceiver } = await import('../receiver/run-receiver.ts')
      await runReceiver(plan, { dataDir, isJson: json, io: shell.io })
    })
}
