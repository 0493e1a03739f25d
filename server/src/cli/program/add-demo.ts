import type { Command } from 'commander'
import type { Shell } from './shell.ts'

export function addDemo(program: Command, shell: Shell): void {
  program
    .command('demo')
    .description(
      'See a sign-in with made-up people, laptops and an app, and with this machine; all of it goes away at the end',
    )
    .action(async () => {
      const { runDemo } = await import('../demo/run-demo.ts')
      await runDemo(shell.io, shell.env['SSH_CONNECTION'])
    })
}
