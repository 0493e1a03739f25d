import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readText, statOf } from './read-files.ts'
import { findCommand, runCommand } from './run-command.ts'

/** The stanzas of a Debian control file, keys in lower case, continuation lines joined by newline. */
export function parseStanzas(text: string): Record<string, string>[] {
  return text.split(/\n{2,}/).flatMap((stanza) => {
    const fields: Record<string, string> = {}
    let last = ''
    for (const line of stanza.split('\n')) {
      if (line.startsWith('#')) continue
      const [, key, value] = /^([^\s:]+):[ \t]*(.*)$/.exec(line) ?? []
      if (key !== undefined) {
        last = key.toLowerCase()
        fields[last] = value ?? ''
      } else if (/^\s/.test(line) && last !== '') fields[last] += `\n${line.trim()}`
    }
    return last === '' ? [] : [fields]
  })
}

export function debPackageRow(fields: Record<string, string>): Row {
  const version = fields['version'] ?? ''
  const dash = version.lastIndexOf('-')
  return {
    name: fields['package'],
    version,
    source: fields['source'],
    size: fields['installed-size'],
    arch: fields['architecture'],
    revision: dash < 0 ? '' : version.slice(dash + 1),
    status: fields['status'],
    maintainer: fields['maintainer'],
    section: fields['section'],
    priority: fields['priority'],
    admindir: '/var/lib/dpkg',
  }
}

export const debPackages: Table = {
  name: 'deb_packages',
  columns: columns('name version source size:bigint arch revision status maintainer section priority admindir'),
  *collect() {
    for (const fields of parseStanzas(readText('/var/lib/dpkg/status') ?? '')) {
      // As dpkg-query -W: a package that is gone but for its record is not listed.
      if (fields['package'] && !fields['status']?.endsWith('not-installed')) yield debPackageRow(fields)
    }
  },
}

export const aptSources: Table = {
  name: 'apt_sources',
  columns: columns('name source base_uri release version maintainer components architectures'),
  *collect() {
    const folder = '/etc/apt/sources.list.d'
    const files = ['/etc/apt/sources.list', ...listDirectory(folder).map((name) => `${folder}/${name}`)]
    for (const file of files) {
      const text = readText(file) ?? ''
      if (file.endsWith('.list')) yield* oneLineSources(file, text)
      else if (file.endsWith('.sources')) yield* deb822Sources(file, text)
    }
  },
}

/** sources.list(5), one line each: `deb [options] uri suite component…`. */
export function* oneLineSources(source: string, text: string): Iterable<Row> {
  for (const line of text.split('\n')) {
    const [, options = '', uri = '', release = '', components = ''] =
      /^\s*deb(?:-src)?\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line) ?? []
    if (uri !== '') {
      const architectures = /(?:^|\s)arch=(\S+)/.exec(options)?.[1]?.replaceAll(',', ' ') ?? ''
      yield sourceRow(source, uri, release, components.trim(), architectures)
    }
  }
}

/** sources.list(5), deb822 style: every URI with every suite. */
export function* deb822Sources(source: string, text: string): Iterable<Row> {
  for (const fields of parseStanzas(text)) {
    if (/^(no|false|off)$/i.test(fields['enabled'] ?? '')) continue
    for (const uri of (fields['uris'] ?? '').split(/\s+/).filter(Boolean)) {
      for (const suite of (fields['suites'] ?? '').split(/\s+/).filter(Boolean)) {
        yield sourceRow(source, uri, suite, fields['components'] ?? '', fields['architectures'] ?? '')
      }
    }
  }
}

function sourceRow(source: string, uri: string, release: string, components: string, architectures: string): Row {
  const name = `${uri.replace(/^[a-z+]+:\/\//, '').replace(/\/$/, '')} ${release}`
  return { name, source, base_uri: uri, release, version: '', maintainer: '', components, architectures }
}

const rpmFields = 'NAME VERSION RELEASE SOURCERPM SIZE SHA1HEADER ARCH EPOCH INSTALLTIME VENDOR GROUP'.split(' ')
const rpmDatabases = ['/var/lib/rpm', '/usr/lib/sysimage/rpm']

export const rpmPackages: Table = {
  name: 'rpm_packages',
  columns: columns(`name version release source size:bigint sha1 arch epoch:integer install_time:integer vendor
    package_group`),
  *collect(_constraints, query) {
    if (!findCommand('rpm')) {
      if (rpmDatabases.some((path) => statOf(path))) throw new NotCollected('rpm is not installed')
      return
    }
    const format = `${rpmFields.map((field) => `%{${field}}`).join('\\t')}\\n`
    for (const line of runCommand(query, 'rpm', ['-qa', '--queryformat', format]).split('\n')) {
      const values = line.split('\t').map((value) => (value === '(none)' ? '' : value))
      const [name, version, release, source, size, sha1, arch, epoch, installed, vendor, group] = values
      if (name === undefined || name === '') continue
      yield {
        name,
        version,
        release,
        source,
        size,
        sha1,
        arch,
        epoch,
        install_time: installed,
        vendor,
        package_group: group,
      }
    }
  },
}
