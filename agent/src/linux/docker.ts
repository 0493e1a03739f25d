import { columns, type Query, type Table } from '../tables/table.ts'
import { inspectContainers } from './docker-containers.ts'
import { findCommand, runCommand } from './run-command.ts'

const missing = () => (findCommand('docker') ? undefined : 'docker is not installed')

/** Docker's answers, one JSON object a line. */
function ask(query: Query, args: string[]): Record<string, string>[] {
  return runCommand(query, 'docker', [...args, '--format', '{{json .}}'])
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Record<string, string>)
}

export const dockerContainers: Table = {
  name: 'docker_containers',
  columns: columns('id name image image_id command created:bigint state status'),
  notCollected: missing,
  *collect(_constraints, query) {
    const images = new Map([...inspectContainers(query)].map((each) => [each['Id'], each['Image']]))
    for (const each of ask(query, ['ps', '--all', '--no-trunc'])) {
      const imageId = images.get(each['ID'])
      yield {
        id: each['ID'],
        name: `/${each['Names'] ?? ''}`,
        image: each['Image'],
        image_id: typeof imageId === 'string' ? imageId : '',
        command: each['Command']?.replace(/^"(.*)"$/, '$1'),
        created: dockerTime(each['CreatedAt']),
        state: each['State'],
        status: each['Status'],
      }
    }
  },
}

export const dockerImages: Table = {
  name: 'docker_images',
  columns: columns('id created:bigint size_bytes:bigint tags'),
  notCollected: missing,
  *collect(_constraints, query) {
    for (const each of ask(query, ['image', 'ls', '--no-trunc'])) {
      const tag = `${each['Repository']}:${each['Tag']}`
      yield { id: each['ID']?.replace('sha256:', ''), created: dockerTime(each['CreatedAt']), tags: tag }
    }
  },
}

export const dockerVersion: Table = {
  name: 'docker_version',
  columns: columns('version api_version min_api_version git_commit go_version os arch kernel_version build_time'),
  notCollected: missing,
  *collect(_constraints, query) {
    for (const each of ask(query, ['version']) as { Server?: Record<string, string> }[]) {
      const server = each.Server
      if (!server) continue
      yield {
        version: server['Version'],
        api_version: server['ApiVersion'],
        min_api_version: server['MinAPIVersion'],
        git_commit: server['GitCommit'],
        go_version: server['GoVersion'],
        os: server['Os'],
        arch: server['Arch'],
        kernel_version: server['KernelVersion'],
        build_time: server['BuildTime'],
      }
    }
  },
}

/** `2026-11-20 10:00:00 +0100 CET` in Unix seconds, or null. */
export function dockerTime(text: string | undefined): number | null {
  const [, date, time, zone] = /^(\S+) (\S+) ([+-]\d{4})/.exec(text ?? '') ?? []
  if (!date || !time || !zone) return null
  return Math.floor(Date.parse(`${date}T${time.slice(0, 8)}${zone.slice(0, 3)}:${zone.slice(3)}`) / 1000)
}
