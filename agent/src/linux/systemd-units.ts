import { columns, type Row, type Table } from '../tables/table.ts'
import { statOf } from './read-files.ts'
import { findCommand, runCommand } from './run-command.ts'

const properties = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'SubState',
  'Following',
  'Job',
  'FragmentPath',
  'User',
  'SourcePath',
  'UnitFileState',
]

/** The answer of `systemctl show`: `Key=value` lines, units parted by an empty line. */
export function parseShownUnits(text: string): Row[] {
  return text.split(/\n{2,}/).flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => cut(line)))
    const id = fields.get('Id')
    if (!id) return []
    return [
      {
        id,
        description: fields.get('Description'),
        load_state: fields.get('LoadState'),
        active_state: fields.get('ActiveState'),
        sub_state: fields.get('SubState'),
        following: fields.get('Following'),
        object_path: '',
        job_id: fields.get('Job') || 0,
        job_type: '',
        job_path: '',
        fragment_path: fields.get('FragmentPath'),
        user: fields.get('User'),
        source_path: fields.get('SourcePath'),
        unit_file_state: fields.get('UnitFileState'),
      },
    ]
  })
}

function cut(line: string): [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

export const systemdUnits: Table = {
  name: 'systemd_units',
  columns:
    columns(`id description load_state active_state sub_state unit_file_state following object_path job_id:bigint job_type
    job_path fragment_path user source_path`),
  // sd_booted(3): this directory is there when systemd runs the machine.
  notCollected: () =>
    findCommand('systemctl') && statOf('/run/systemd/system') ? undefined : 'systemd does not run this machine',
  *collect(_constraints, query) {
    const property = `--property=${properties.join(',')}`
    yield* parseShownUnits(runCommand(query, 'systemctl', ['show', '--no-pager', '--all', property, '*']))
  },
}
