import { createHash } from 'node:crypto'

/** A kind of search, and how one of its texts is made from a number. */
export type SearchClass = {
  list: 'devices' | 'issues'
  kind: 'selective' | 'unselective' | 'short'
  name: string
  text: (turn: number) => string
}

const hex = (turn: number, length: number, purpose: string) =>
  createHash('md5').update(`${purpose}${turn}`).digest('hex').slice(0, length)
const oneOf = (words: readonly string[], turn: number) => words[turn % words.length] ?? ''

/** What people type, and what is hard: hardly anything matches, or nearly everything does, or no trigram is in it. */
export const searchClasses: readonly SearchClass[] = [
  {
    list: 'devices',
    kind: 'selective',
    name: 'a serial',
    text: (turn) => `serial~${hex(1 + turn * 37, 12, 'serial').slice(2, 10)}`,
  },
  {
    list: 'devices',
    kind: 'selective',
    name: 'three characters of a serial',
    text: (turn) => `serial~${hex(turn, 3, 'any')}`,
  },
  {
    list: 'devices',
    kind: 'selective',
    name: 'a number in a name',
    text: (turn) => `name~"pro ${10_000 + turn * 311}"`,
  },
  { list: 'devices', kind: 'selective', name: 'a room in a note', text: (turn) => `note~"room ${turn % 400}"` },
  { list: 'devices', kind: 'selective', name: 'nothing', text: (turn) => `name~"no such ${hex(turn, 6, 'none')}"` },
  {
    list: 'devices',
    kind: 'selective',
    name: 'a name or a serial',
    text: (turn) => `name~"air ${20_000 + turn}" OR serial~${hex(turn, 6, 'or')}`,
  },
  {
    list: 'devices',
    kind: 'unselective',
    name: 'half of all names',
    text: (turn) => `name~${oneOf(['macbook', 'book', 'pro', 'air'], turn)}`,
  },
  {
    list: 'devices',
    kind: 'unselective',
    name: 'first names',
    text: (turn) => `name~${oneOf(['ada', 'grace', 'tim', 'donald'], turn)}`,
  },
  {
    list: 'devices',
    kind: 'unselective',
    name: 'both of two',
    text: (turn) => `name~macbook AND name~${oneOf(['ada', 'grace', 'tim', 'radia'], turn)}`,
  },
  {
    list: 'devices',
    kind: 'short',
    name: 'one character',
    text: (turn) => `name~${oneOf(['a', 'b', '7', 'x'], turn)}`,
  },
  { list: 'devices', kind: 'short', name: 'two characters', text: (turn) => `serial~${hex(turn, 2, 'two')}` },
  {
    list: 'devices',
    kind: 'short',
    name: 'two characters that nothing has',
    text: (turn) => `serial~${oneOf(['zq', 'xw', 'jk', 'vy'], turn)}`,
  },
  {
    list: 'issues',
    kind: 'selective',
    name: 'a path',
    text: (turn) => `issue_value~id_${hex(1 + turn * 41, 8, 'issue')}`,
  },
  { list: 'issues', kind: 'selective', name: 'a rare title', text: () => 'title~"shared machine"' },
  { list: 'issues', kind: 'selective', name: 'digits of a device', text: (turn) => `device_id~${12_300 + turn}` },
  {
    list: 'issues',
    kind: 'unselective',
    name: 'a common title',
    text: (turn) => `title~${oneOf(['ssh', 'lock', 'encrypted', 'off'], turn)}`,
  },
  { list: 'issues', kind: 'unselective', name: 'every value', text: () => 'issue_value~users' },
  { list: 'issues', kind: 'short', name: 'two characters', text: (turn) => `issue_value~${hex(turn, 2, 'two')}` },
  {
    list: 'issues',
    kind: 'short',
    name: 'two characters that nothing has',
    text: (turn) => `title~${oneOf(['zq', 'xw', 'qj', 'vx'], turn)}`,
  },
]
