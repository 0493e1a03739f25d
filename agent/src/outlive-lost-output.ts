/** A disk without room takes what is said, not the program: systemd and launchd would start it again and again. */
export function outliveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
