import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkSqlOf, namesShown } from './link-file-rules.ts'

const folder = '/var/lib/muster-companion/link'
const directory = { path: folder, type: 'directory', uid: '0', gid: '0', mode: '0700' }
const file = { path: `${folder}/name`, type: 'regular', uid: '0', gid: '0', mode: '0600' }

test('a file counts where folder and file belong to root, and nobody else may write to the one or read the other', () => {
  assert.deepEqual([...namesShown('Linux', [directory, file])], ['name'])
  assert.deepEqual([...namesShown('Linux', [{ ...directory, mode: '0755' }, file])], ['name'])
  assert.deepEqual([...namesShown('Linux', [{ ...directory, path: `${folder}/` }, file])], ['name'])
})

test('a file that another user can have made or read counts nowhere', () => {
  const refused: Record<string, Record<string, string>[]> = {
    'file of a user': [directory, { ...file, uid: '1000' }],
    'folder of a user': [{ ...directory, uid: '1000' }, file],
    'folder that a group may write to': [{ ...directory, mode: '0770' }, file],
    'folder that all may write to': [{ ...directory, mode: '1777' }, file],
    'file that a group may read': [directory, { ...file, mode: '0640' }],
    'file that all may read': [directory, { ...file, mode: '0644' }],
    'no folder': [file],
    'a link instead of a folder': [{ ...directory, type: 'symlink' }, file],
    'a folder instead of a file': [directory, { ...file, type: 'directory' }],
    'a file elsewhere': [directory, { ...file, path: '/tmp/name' }],
    'no mode': [directory, { path: file.path, type: 'regular', uid: '0', gid: '0' }],
    'a mode that is none': [directory, { ...file, mode: '-1' }],
    'the folder of another system': [
      { ...directory, path: '/Library/Application Support/Muster/link' },
      { ...file, path: '/Library/Application Support/Muster/link/name' },
    ],
  }
  for (const [title, rows] of Object.entries(refused)) {
    assert.deepEqual([...namesShown('Linux', rows)], [], title)
  }
})

test('on Windows SYSTEM and Administrators count as root', () => {
  const path = 'C:\\ProgramData\\Muster\\link'
  const rows = (uid: string) => [
    { path, type: 'directory', uid: '18', gid: '18', mode: '-1' },
    { path: `${path}\\name`, type: 'regular', uid, gid: '513', mode: '-1' },
  ]
  for (const uid of ['18', '544']) assert.deepEqual([...namesShown('Windows', rows(uid))], ['name'])
  assert.deepEqual([...namesShown('Windows', rows('1001'))], [])
})

test('the node is asked for the folder of its own system', () => {
  assert.equal(
    linkSqlOf('Linux'),
    "select path, type, uid, gid, mode from file where path = '/var/lib/muster-companion/link' union all select path, type, uid, gid, mode from file where path like '/var/lib/muster-companion/link/%'",
  )
  assert.match(linkSqlOf('Mac'), /'\/Library\/Application Support\/Muster\/link\/%'/)
  assert.match(linkSqlOf('Windows'), /'C:\\ProgramData\\Muster\\link\\%'/)
})
