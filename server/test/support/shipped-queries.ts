import { glob, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Target = { expr: string }
type Panel = { title: string; description?: string; datasource: { uid: string }; targets: Target[] }
export type Dashboard = { uid: string; title: string; schemaVersion: number; panels: Panel[] }

/** A query of a dashboard as Grafana sends it when nothing is chosen. */
export type PanelQuery = { where: string; expr: string }

export type Alert = { name: string; text: string; severity: string }

export const deployFolder = fileURLToPath(new URL('../../../deploy', import.meta.url))
export const alertsFile = join(deployFolder, 'prometheus/alerts.yaml')

export async function readDashboards(): Promise<Dashboard[]> {
  const files = await Array.fromAsync(glob(join(deployFolder, 'grafana/*.json')))
  return Promise.all(
    files.toSorted().map(async (file) => {
      const dashboard: Dashboard = JSON.parse(await readFile(file, 'utf8'))
      if (`${dashboard.uid}.json` !== basename(file)) throw new Error(`${file} has the uid ${dashboard.uid}`)
      return dashboard
    }),
  )
}

export const queriesOf = (dashboards: readonly Dashboard[]): PanelQuery[] =>
  dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({
        where: `${uid}: ${title}`,
        expr: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:job|instance)/g, '.*'),
      })),
    ),
  )

export async function readAlerts(): Promise<Alert[]> {
  const [, ...rules] = (await readFile(alertsFile, 'utf8')).split(/^ +- alert: /m)
  return rules.map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    text: text.split('annotations:')[0] ?? '',
    severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
  }))
}
