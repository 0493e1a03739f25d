import { release } from 'node:os'
import { columns, type Row, type Table } from '../tables/table.ts'
import { ifAllowed, listDirectory, lstatOf, readLine, readLines, readText } from './read-files.ts'

export const kernelInfo: Table = {
  name: 'kernel_info',
  columns: columns('version arguments path device'),
  *collect() {
    const words = readLine('/proc/cmdline').split(' ')
    const of = (key: string) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1) ?? ''
    yield {
      version: release(),
      arguments: words.filter((word) => !/^(BOOT_IMAGE|root)=/.test(word)).join(' '),
      path: of('BOOT_IMAGE'),
      device: of('root'),
    }
  },
}

export const kernelModules: Table = {
  name: 'kernel_modules',
  columns: columns('name size:bigint used_by status address'),
  *collect() {
    for (const line of readLines('/proc/modules')) {
      const [name = '', size = '', , usedBy = '', status = '', address = ''] = line.split(' ')
      if (name !== '') yield { name, size, used_by: usedBy.replace(/,$/, ''), status, address }
    }
  },
}

export const systemControls: Table = {
  name: 'system_controls',
  columns: columns('name oid subsystem current_value config_value type'),
  pushed: { name: 'equal' },
  *collect(constraints) {
    const configured = configuredControls()
    const wanted = constraints.map((constraint) => String(constraint.value))
    // sysctl.d(5): a dot in a name is a slash in the path, and the other way round.
    const paths = wanted.length > 0 ? wanted.map((name) => swapSeparators(name)) : controlPaths('')
    for (const path of paths) {
      const row = path.split('/').includes('..') ? undefined : controlRow(path, configured)
      if (row) yield row
    }
  },
}

const swapSeparators = (name: string) => name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'))

function* controlPaths(folder: string): Iterable<string> {
  for (const name of ifAllowed<string[]>([], () => listDirectory(`/proc/sys/${folder}`))) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (lstatOf(`/proc/sys/${path}`)?.isDirectory()) yield* controlPaths(path)
    else yield path
  }
}

function controlRow(path: string, configured: Map<string, string>): Row | undefined {
  const value = ifAllowed<string | undefined>(undefined, () => readControl(path))
  if (value === undefined) return undefined
  const name = swapSeparators(path)
  return {
    name,
    oid: '',
    subsystem: path.split('/')[0] ?? '',
    current_value: value.trim(),
    config_value: configured.get(name) ?? '',
    type: 'string',
  }
}

/** Some controls answer an error of their own kind (EIO, EOPNOTSUPP) instead of a value. */
function readControl(path: string): string | undefined {
  const full = `/proc/sys/${path}`
  const stats = lstatOf(full)
  if (!stats?.isFile() || (stats.mode & 0o444) === 0) return undefined
  try {
    return readText(full)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}

function configuredControls(): Map<string, string> {
  const found = new Map<string, string>()
  const folders = ['/usr/lib/sysctl.d', '/run/sysctl.d', '/etc/sysctl.d']
  const files = folders.flatMap((folder) => listDirectory(folder).map((name) => `${folder}/${name}`))
  for (const file of [...files.filter((name) => name.endsWith('.conf')), '/etc/sysctl.conf']) {
    for (const line of ifAllowed<string[]>([], () => readLines(file))) {
      const [, key, value] = /^\s*-?([^#;=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (key !== undefined && value !== undefined) found.set(key.replaceAll('/', '.'), value)
    }
  }
  return found
}
