import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchFields } from '@muster/contract/search.ts'
import { parseSearch } from './parse-search.ts'
import { SearchError } from './search-error.ts'

const fields = {
  name: { kind: 'string', operators: [':', '~'] },
  note: { kind: 'string', operators: [':', '~'], nullable: true, multiple: true },
  email: { kind: 'string', operators: [':', '~'], ignoreCase: true },
  id: { kind: 'identifier', operators: [':'], multiple: true },
  person_id: { kind: 'identifier', operators: [':', '~'], nullable: true },
  seen_at: { kind: 'datetime', operators: [':', '<', '<=', '>', '>='], nullable: true },
  ran_at: { kind: 'datetime', operators: [':', '<', '>'] },
  exempted: { kind: 'boolean', operators: [':'] },
  state: { kind: 'enum', operators: [':', '~'], values: ['Good', 'Will Block', 'Blocked'], multiple: true },
  tables_used: { kind: 'string_list', operators: [':', '~'] },
} as const satisfies SearchFields

/** Writes an expression as short text, so that a table of cases stays readable. */
function shown(text: string): string {
  const expression = parseSearch(text, fields)
  if (!expression) return 'nothing'
  return expression
    .map((clauses) => clauses.map((c) => `${c.field} ${c.operator} ${JSON.stringify(c.value)}`).join(' & '))
    .join(' | ')
}

function errorOf(text: string): SearchError {
  try {
    parseSearch(text, fields)
  } catch (error) {
    if (error instanceof SearchError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(text)} was accepted`)
}

test('a blank text is no search', () => {
  for (const text of ['', ' ', '    ', '\t\n']) assert.equal(parseSearch(text, fields), undefined)
})

test('AND binds tighter than OR', () => {
  assert.equal(shown('name:a OR name:b AND name:c OR name:d'), 'name : "a" | name : "b" & name : "c" | name : "d"')
  assert.equal(shown('name:a AND name:b OR name:c AND name:d'), 'name : "a" & name : "b" | name : "c" & name : "d"')
})

test('values are read as written', () => {
  const cases: Record<string, string> = {
    'name:a': 'name : "a"',
    '  name~Mac  ': 'name ~ "Mac"',
    'name:a   AND   name:b': 'name : "a" & name : "b"',
    'name:a:b~c<d>e': 'name : "a:b~c<d>e"',
    'name:AND': 'name : "AND"',
    'name:OR OR name:AND': 'name : "OR" | name : "AND"',
    'name:13"': 'name : "13\\""',
    'name:(x)': 'name : "(x)"',
    'name:a\\b': 'name : "a\\\\b"',
    'name:"Ann AND Bob OR (x)"': 'name : "Ann AND Bob OR (x)"',
    'name:"say \\"hi\\" \\\\"': 'name : "say \\"hi\\" \\\\"',
    'name:"C:\\Users\\n"': 'name : "C:\\\\Users\\\\n"',
    'name:""': 'name : ""',
    'name:" "': 'name : " "',
    'name:"null"': 'name : "null"',
    'name:null': 'name : "null"',
    'name~null': 'name ~ "null"',
    'note:null': 'note : null',
    'note:NULL': 'note : "NULL"',
    'note:"null"': 'note : "null"',
    'note~null': 'note ~ "null"',
    'note:["a","b", c ]': 'note : ["a","b","c"]',
    'note:["null", ""]': 'note : ["null",""]',
    'note:"[a]"': 'note : "[a]"',
    'note:["a,]\\"b"]': 'note : ["a,]\\"b"]',
    'id:7': 'id : "7"',
    'id:"7"': 'id : "7"',
    'id:seven': 'id : "seven"',
    'id:99999999999999999999': 'id : "99999999999999999999"',
    'id:[1,2,3]': 'id : ["1","2","3"]',
    'id:[ 1 , "2" ,1]': 'id : ["1","2"]',
    'person_id~12': 'person_id ~ "12"',
    'seen_at:null': 'seen_at : null',
    'seen_at>2026-01-31': 'seen_at > "2026-01-31T00:00:00.000Z"',
    'seen_at>=2026-01-31': 'seen_at >= "2026-01-31T00:00:00.000Z"',
    'seen_at<="2026-01-31T10:00:00Z"': 'seen_at <= "2026-01-31T10:00:00.000Z"',
    'name:<=x>=y': 'name : "<=x>=y"',
    'seen_at<2026-01-31T10:00:00.1239+02:00': 'seen_at < "2026-01-31T08:00:00.123Z"',
    'seen_at:"2026-01-31T10:00:00Z"': 'seen_at : "2026-01-31T10:00:00.000Z"',
    'exempted:true': 'exempted : true',
    'exempted:"false"': 'exempted : false',
    'state:good': 'state : "Good"',
    'state:"wILL bLOCK"': 'state : "Will Block"',
    'state:["good",GOOD]': 'state : ["Good"]',
    'state~block': 'state : ["Will Block","Blocked"]',
    'state~"L B"': 'state : ["Will Block"]',
    'state~null': 'state : []',
    'tables_used:null': 'tables_used : "null"',
    'name:漢字😀': 'name : "漢字😀"',
    'name:a\u00a0b\u3000c': 'name : "a\u00a0b\u3000c"',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(shown(text), expected, text)
})

test('a clause tells whether its exact match ignores case', () => {
  assert.deepEqual(parseSearch('email:A@B.C', fields), [
    [{ field: 'email', operator: ':', value: 'A@B.C', ignoreCase: true }],
  ])
  assert.deepEqual(parseSearch('name:a', fields), [[{ field: 'name', operator: ':', value: 'a' }]])
})

test('what cannot be understood is refused at its position', () => {
  const cases: [text: string, position: number, message: RegExp][] = [
    ['name', 4, /Expected one of : ~ < <= > >= directly after "name"/],
    ['name foo', 4, /Expected one of : ~ < <= > >=/],
    ['name :foo', 4, /Expected one of : ~ < <= > >=/],
    ['name:', 5, /Expected a value directly after :/],
    ['name: foo', 5, /Expected a value directly after :/],
    [':foo', 0, /Expected the name of a field before :/],
    ['name~""', 5, /at least one character after ~/],
    ['name:a AND', 10, /Expected another clause after AND/],
    ['name:a OR  ', 11, /Expected another clause after OR/],
    ['AND', 0, /Expected a clause, found AND/],
    ['AND name:a', 0, /Expected a clause, found AND/],
    ['name:a AND AND name:b', 11, /Expected a clause after AND, found AND/],
    ['name:a AND OR name:b', 11, /Expected a clause after AND, found OR/],
    ['name:a name:b', 7, /Expected AND or OR between clauses, found "name:b".*double quotes/],
    ['name:a and name:b', 7, /upper case/],
    ['name:a Or name:b', 7, /upper case/],
    ['name:Mac Book', 9, /double quotes/],
    ['(name:a)', 0, /Parentheses are not supported/],
    ['name:a AND (name:b OR name:c)', 11, /Parentheses are not supported/],
    ['name:a )', 7, /Parentheses are not supported/],
    ['name:"a', 5, /never closed/],
    ['name:"a\\"', 5, /never closed/],
    ['name:"a\\', 5, /never closed/],
    ['name:"a"b', 8, /space or the end after the closing quote/],
    ['name:"a"AND name:"b"', 8, /space or the end/],
    ['serial:1', 0, /Unknown search field "serial"; searchable here: name, note, email/],
    ['Name:a', 0, /Unknown search field "Name"/],
    ['__proto__:a', 0, /Unknown search field/],
    ['constructor:a', 0, /Unknown search field/],
    ['name>a', 4, /name cannot be searched with >; it allows : ~/],
    ['seen_at~2026', 7, /seen_at cannot be searched with ~; it allows : < <= > >=$/],
    ['ran_at>=2026-01-31', 6, /ran_at cannot be searched with >=; it allows : < >$/],
    ['name>=a', 4, /name cannot be searched with >=/],
    ['seen_at=>2026-01-31', 0, /Unknown search field "seen_at="/],
    ['name:a AND id~1', 13, /id cannot be searched with ~; it allows :/],
    ['name:["a"]', 5, /A list is not accepted with name/],
    ['note~["a"]', 5, /A list is not accepted with the operator ~/],
    ['seen_at<[1]', 8, /A list is not accepted/],
    ['id:[]', 4, /Expected a member/],
    ['id:[1,]', 6, /Expected a member/],
    ['id:[,1]', 4, /Expected a member/],
    ['id:[', 4, /Expected a member/],
    ['id:[1', 3, /never closed with \]/],
    ['id:[1 2]', 6, /comma or \]/],
    ['id:["1"2]', 7, /comma or \]/],
    ['id:["1', 4, /never closed/],
    ['id:[1]2', 6, /space or the end after the list/],
    ['note:[a,null]', 8, /cannot contain null/],
    ['id:null', 3, /id is never null/],
    ['ran_at:null', 7, /ran_at is never null/],
    ['state:null', 6, /state is never null/],
    ['exempted:null', 9, /exempted is never null/],
    ['exempted:yes', 9, /exempted is true or false, not "yes"/],
    ['exempted:TRUE', 9, /true or false/],
    ['state:block', 6, /state is one of "Good", "Will Block", "Blocked", not "block"/],
    ['state:[good,bad]', 12, /not "bad"/],
    ['seen_at>2026-02-30', 8, /"2026-02-30" is not a date such as/],
    ['seen_at:now', 8, /is not a date such as/],
    ['seen_at:infinity', 8, /is not a date such as/],
    ['seen_at<""', 8, /is not a date such as/],
    ['seen_at<"null"', 8, /is not a date such as/],
    ['seen_at<null', 8, /is not a date such as/],
    ['seen_at>=', 9, /Expected a value directly after >=/],
    ['seen_at>= 2026-01-01', 9, /Expected a value directly after >=/],
    ['seen_at>==2026-01-01', 9, /^"=2026-01-01" is not a date such as/],
    ['seen_at>x"2026-01-01"', 8, /^"x\\"2026-01-01\\"" is not a date such as/],
    ['state~""', 6, /at least one character after ~/],
    ['state~[good]', 6, /A list is not accepted with the operator ~/],
    ['seen_at>"2026-01-31T10:00:00 02:00"', 8, /written %2B/],
    ['seen_at>"2026-01-31T10:00:00 0200"', 8, /written %2B/],
    ['seen_at>"20260131t1000 02"', 8, /written %2B/],
    ['seen_at>"2026-01-31 10:00"', 8, /"20260131T093000Z" or "2026-01-31T11:30:00\+02:00"$/],
    ['seen_at>2026', 8, /is not a date such as/],
    ['seen_at>2026-W05-6', 8, /is not a date such as/],
    ['name:a\u0000', 6, /control characters/],
    ['name:"a\tb"', 7, /control characters/],
    ['name:a\u007f', 6, /control characters/],
    ['name:a\u0085', 6, /control characters/],
    ['name:😀\ud800', 7, /broken Unicode/],
    ['name:\udc00\ud800', 5, /broken Unicode/],
  ]
  for (const [text, position, message] of cases) {
    const error = errorOf(text)
    assert.match(error.message, message, text)
    assert.equal(error.position, position, text)
  }
})

test('an error names the field of its clause when that is known', () => {
  assert.equal(errorOf('name:a AND state:bad').field, 'state')
  assert.equal(errorOf('nope:a').field, 'nope')
  assert.equal(errorOf('name:a AND').field, undefined)
})

test('an error quotes at most 40 characters of the text and never half of one', () => {
  const { message } = errorOf(`${'😀'.repeat(200)}:a`)
  assert.ok(message.startsWith(`Unknown search field "${'😀'.repeat(40)}…"`))
  assert.ok(message.isWellFormed())
})

test('50 clauses pass and 51 do not', () => {
  const clauses = (count: number) => Array(count).fill('name:a').join(' OR ')
  assert.equal(parseSearch(clauses(50), fields)?.length, 50)
  assert.match(errorOf(clauses(51)).message, /at most 50 clauses/)
  assert.match(errorOf(Array(51).fill('name:a').join(' AND ')).message, /at most 50 clauses/)
})

test('a list of 100 members passes and one of 101 does not', () => {
  const list = (count: number) => `id:[${Array.from({ length: count }, (_, index) => index).join()}]`
  assert.equal(shown(list(100)).match(/"\d+"/g)?.length, 100)
  assert.match(errorOf(list(101)).message, /at most 100 members/)
})

test('2,048 bytes of UTF-8 pass and 2,049 do not', () => {
  assert.ok(parseSearch(`name:${'a'.repeat(2043)}`, fields))
  assert.match(errorOf(`name:${'a'.repeat(2044)}`).message, /at most 2048 bytes; this one has 2049/)
  assert.ok(parseSearch(`name:${'é'.repeat(1021)}a`, fields))
  assert.match(errorOf(`name:${'é'.repeat(1022)}`).message, /at most 2048 bytes/)
})

test('a list without searchable fields says so', () => {
  assert.throws(() => parseSearch('name:a', {}), /nothing is searchable here/)
})
