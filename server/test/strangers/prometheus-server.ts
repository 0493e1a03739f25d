import { readFile } from 'node:fs/promises'
import { alertsFile } from '../support/shipped-queries.ts'
import { programFolder, runProgram } from './run-program.ts'

type Sample = { metric: Record<string, string>; value: [number, string] }
type Target = { labels: { job: string; instance: string }; health: string; lastError: string }
type Alert = { labels: Record<string, string>; annotations: Record<string, string>; state: 'pending' | 'firing' }
type RuleGroup = { rules: { name: string; health: string; lastError?: string }[] }

type Places = { port: number; token: string; server: string; worker: string }

/** The configuration of docs/metrics.md, as far as it does not name the places of an installation. */
async function documentedConfiguration({ server, worker }: Places, tokenFile: string): Promise<string> {
  const page = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const block = /^ {3}```yaml\n(.*?)^ {3}```$/ms.exec(page)?.[1] ?? ''
  const replaced: [string, string][] = [
    ['scrape_interval: 15s', 'scrape_interval: 2s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['    scheme: https\n', ''],
    ['/etc/prometheus/muster-token', tokenFile],
    ['targets: [muster.example.com]', `targets: ['${server}']`],
    ['targets: [worker-1.example.com:8081]', `targets: ['${worker}']`],
  ]
  const plain = block.replaceAll(/^ {3}/gm, '')
  return replaced.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`docs/metrics.md has no ${from}`)
    return before.replaceAll(from, to)
  }, plain)
}

/** A Prometheus of Debian on this machine, set up as docs/metrics.md says. */
export async function openPrometheus(places: Places) {
  const folder = programFolder('prometheus')
  const tokenFile = folder.write('muster-token', `${places.token}\n`)
  folder.write('alerts.yaml', await readFile(alertsFile, 'utf8'))
  const configuration = folder.write('prometheus.yml', await documentedConfiguration(places, tokenFile))
  const running = await runProgram(
    'prometheus',
    [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${folder.path}/data`,
      `--web.listen-address=127.0.0.1:${places.port}`,
    ],
    places.port,
  )

  async function ask<Data>(path: string, asked: Record<string, string> = {}): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${places.port}/api/v1/${path}?${new URLSearchParams(asked)}`)
    const body = (await answer.json()) as { status: string; data: Data; error?: string }
    if (body.status !== 'success') throw new Error(`${JSON.stringify(asked)}: ${body.error}`)
    return body.data
  }

  return {
    configuration,
    query: async (query: string) => (await ask<{ result: Sample[] }>('query', { query })).result,
    targets: async () => (await ask<{ activeTargets: Target[] }>('targets')).activeTargets,
    alerts: async () => (await ask<{ alerts: Alert[] }>('alerts')).alerts,
    rules: async () => (await ask<{ groups: RuleGroup[] }>('rules')).groups.flatMap(({ rules }) => rules),
    async stop() {
      await running.stop()
      folder.remove()
    },
  }
}
