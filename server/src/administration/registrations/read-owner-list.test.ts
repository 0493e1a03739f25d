import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTurns } from '../../../test/support/longest-turn.ts'
import { ServiceError } from '../../base/errors.ts'
import { readOwnerList } from './read-owner-list.ts'

const longest = 499_000

/** What a refused list is told. */
async function refusalOf(csv: string): Promise<string | undefined> {
  try {
    await readOwnerList(csv)
  } catch (error) {
    assert.ok(error instanceof ServiceError)
    return error.errors?.[0]?.message
  }
  return undefined
}

const named = 'serial,email\n'

/** Lists of the longest length that are dear to read, and what is said of them. */
const dear: Readonly<Record<string, { csv: string; refusal: RegExp }>> = {
  'one line of separators': { csv: ','.repeat(longest), refusal: /^has no lines$/ },
  'separators and an owner': {
    csv: `${','.repeat(longest)}a@b.example`,
    refusal: /^does not say which column is which/,
  },
  'blank lines': { csv: '\n'.repeat(longest), refusal: /^has no lines$/ },
  'lines of separators': { csv: `${','.repeat(90)}\n`.repeat(longest / 100), refusal: /^has no lines$/ },
  'short lines': { csv: 'a\n'.repeat(longest / 2), refusal: /^does not say which column is which/ },
  'names of columns only': {
    csv: 'serial,email,'.repeat(longest / 13),
    refusal: /^does not say which column is which/,
  },
  'many long lines that might be names': {
    csv: `${`"${'serial,'.repeat(500)}\n`.repeat(longest / 3_502)}`,
    refusal: /^does not say which column is which/,
  },
  'short lines under names': {
    csv: `${named}${'a\n'.repeat(longest / 2 - 20)}`,
    refusal: /^has more than 5,000 lines/,
  },
  'blank lines under names': { csv: `${named}${'\n'.repeat(longest - 20)}`, refusal: /^has no lines after the names/ },
  'line breaks within quotes': {
    csv: `${named}${'"\n",,,,,,,'.repeat(longest / 10)}`,
    refusal: /^is not valid CSV: a line is too long/,
  },
  'formulas of nothing': { csv: `${named}${'="'.repeat(longest / 2 - 20)}`, refusal: /^is not valid CSV/ },
  'a quotation without end': {
    csv: `${named}"${'a,'.repeat(longest / 2 - 20)}`,
    refusal: /^is not valid CSV: a line is too long/,
  },
}

test('a list that is dear to read is refused, and others have their turn meanwhile', async () => {
  for (const [name, { csv, refusal }] of Object.entries(dear)) {
    await assertTurns(name, async () => {
      assert.match((await refusalOf(csv)) ?? '', refusal, name)
    })
  }
})

/** What is read of each line: the device, then the owner. */
async function read(csv: string): Promise<[line: number, ...texts: string[]][]> {
  const { rows } = await readOwnerList(csv)
  return rows.map(({ line, cells, fault }) => [
    line,
    ...(fault === undefined ? cells.map(({ text }) => text) : [fault]),
  ])
}

test('a list of 5,000 lines is read whole, also where a piece ends within a letter', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `${'ü'.repeat(index % 7)}${index}@acme.example`)
  const csv = ['serial,email', ...names.map((name, index) => `S${index},${name}`)].join('\r\n')
  assert.deepEqual(
    await read(csv),
    names.map((name, index) => [index + 2, `S${index}`, name]),
  )
})

test('a list with many columns that count is read in turns as well', async () => {
  const head = ['serial', ...Array.from({ length: 600 }, () => 'email')].join(',')
  const line = `S,${'a@b.example '.repeat(200)}${','.repeat(598)}\n`
  await assertTurns('columns of owners', async () => {
    const { rows } = await readOwnerList(`${head}\n${line.repeat(150)}`)
    assert.deepEqual([rows.length, rows[0]?.cells.length], [150, 2])
  })
})

test('cells that hold many addresses, or what looks like one, are read in turns', async () => {
  const addresses = Array.from({ length: 650 }, (_, index) => `${index}@b.example`).join(' ')
  for (const cell of [addresses, `${'a@'.repeat(4_900)} b`, `${'<'.repeat(4_900)}@`]) {
    await assertTurns(cell.slice(0, 10), async () => {
      const { rows } = await readOwnerList(`serial,email\n${`S,${cell}\n`.repeat(49)}`)
      assert.equal(rows.length, 49)
    })
  }
})

test('the separator is decided once, so that a name with another one in it moves nothing', async () => {
  const tabs = 'Full Name\tSerial Number\tEmail Address\nRuiz, Ana\tC02A\tana@acme.example\n\tC02B\tben@acme.example\n'
  assert.deepEqual(await read(tabs), [
    [2, 'C02A', 'ana@acme.example'],
    [3, 'C02B', 'ben@acme.example'],
  ])
  const commas = 'Full Name,Serial Number,Email Address,Backup\nAna; Ruiz,C02A,ana@acme.example,zoe@acme.example\n'
  assert.deepEqual(await read(commas), [[2, 'C02A', 'ana@acme.example']])
  assert.deepEqual(await read('sep=;\nserial;email;name\nC02A;ana@acme.example;"Ruiz; Ana"\n'), [
    [3, 'C02A', 'ana@acme.example'],
  ])
  assert.deepEqual(await read('C02A;ana@acme.example\nben@acme.example;C02,B\n'), [
    [1, 'C02A', 'ana@acme.example'],
    [2, 'C02,B', 'ben@acme.example'],
  ])
})

test('a line with more cells than there are columns is refused, since none of them is sure', async () => {
  const csv =
    'Serial,Notes,Backup,Email\nC02A,blue, old,zoe@acme.example,ana@acme.example\nC02B\nC02C,,,ana@acme.example\n'
  assert.deepEqual(await read(csv), [
    [2, 'The line has 5 cells, and the list has 4 columns. Put quotation marks around a cell that holds a separator.'],
    [3, 'C02B'],
    [4, 'C02C', 'ana@acme.example'],
  ])
  const [, line] = await read('C02A,ana@acme.example\nC02B,ana@acme.example,ben@acme.example\n')
  assert.match(String(line?.[1]), /^The line has 3 cells, and the list has 2 columns/)
})

test('what spreadsheets and mail programs put around a text is not part of it', async () => {
  const uuid = '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10'
  const ana = 'ana@acme.example'
  const cases: readonly (readonly [cell: string, device: string, owner: string])[] = [
    [`="C02A",="${ana}"`, 'C02A', ana],
    [`"=""C02A""","=""${ana}"""`, 'C02A', ana],
    [`'0012,'${ana}`, '0012', ana],
    [`{${uuid}},<${ana}>`, uuid, ana],
    [`${uuid.replaceAll('-', '').toLowerCase()},Ana <${ana}>`, uuid.toLowerCase(), ana],
    [`\u200bC02A\u00a0,\ufeff${ana}\u202c`, 'C02A', ana],
    [`C02A,mailto:${ana}`, 'C02A', ana],
    [`C02A,"{'email': '${ana}', 'name': 'Ana Ruiz', 'is_archived': False}"`, 'C02A', ana],
    [`C02A,"{'email': ""o'brien@acme.example"", 'name': ""O'Brien""}"`, 'C02A', "o'brien@acme.example"],
    ["C02A,o'brien@acme.example", 'C02A', "o'brien@acme.example"],
    ['C02A,ana@corp', 'C02A', 'ana@corp'],
    ['C02A,Ana Ruiz', 'C02A', 'Ana Ruiz'],
  ]
  for (const [line, device, owner] of cases) {
    assert.deepEqual(
      await read(`serial or udid,x\n${line}\nZ,z@acme.example`),
      [
        [2, device, owner],
        [3, 'Z', 'z@acme.example'],
      ],
      line,
    )
    assert.deepEqual(await read(`UDID,Assigned to\n${line}`), [[2, device, owner]], line)
  }
  const two = await read('serial,owner\nC02A,"Ana <ana@acme.example>, Ben <ben@acme.example>; ANA@acme.example"')
  assert.deepEqual(two, [[2, 'C02A', 'ana@acme.example', 'ben@acme.example']])
})

test('lines above the names of the columns are left out, and each line keeps its number', async () => {
  const head = '"SerialNumber","UserEmail","Name"'
  const lists = [
    `#TYPE System.Management.Automation.PSCustomObject\n${head}`,
    `Report generated 2026-11-20 by admin@acme.example\n\n${head}`,
    `\ufeff${head}`,
    `Devices, all\rof acme\r${head}`,
  ]
  for (const [index, above] of lists.entries()) {
    const { form, rows } = await readOwnerList(`${above}\n"C02A","ana@acme.example","Ana, Ruiz"\n`)
    const line = [2, 3, 1, 3][index] ?? 0
    assert.deepEqual(
      [form.namesLine, rows[0]?.line, rows[0]?.cells.map(({ text }) => text)],
      [line, line + 1, ['C02A', 'ana@acme.example']],
    )
  }
  // Without names nothing says where the devices begin: each line is told about.
  assert.deepEqual(await read('Report by admin@acme.example\nC02A,ana@acme.example\nTotal: 1\n'), [
    [1, 'admin@acme.example'],
    [2, 'C02A', 'ana@acme.example'],
    [3, 'Total: 1'],
  ])
})

test('a list that cannot be read is refused with what to do about it', async () => {
  const refusals: readonly (readonly [csv: string, refusal: RegExp])[] = [
    ['serial,name,model\nC02A,Ana,Mac', /^has no column for the owners: name it in the first line, such as email$/],
    [
      'email,name,model\nana@acme.example,Ana,Mac',
      /^has no column for the devices: name it in the first line, such as serial$/,
    ],
    [`serial${'_'.repeat(60)},email,model\nC02A,ana@acme.example,Mac`, /^has no column for the devices/],
    ['a,b,c\nC02A,ana@acme.example,Mac', /^does not say which column is which/],
    ['serial,email', /^has no lines after the names of the columns$/],
    ['serial,email\n\nC02A,"ana@acme.example', /^is not valid CSV: a quotation mark opens in line 3 and none closes$/],
    ['a\nserial,email\nC02A,13" Mac', /^is not valid CSV: a quotation mark is out of place in line 3$/],
    [`serial,email\n${'x'.repeat(10_001)},ana@acme.example`, /^is not valid CSV: a line is too long in line 2/],
  ]
  for (const [csv, refusal] of refusals) assert.match((await refusalOf(csv)) ?? 'none', refusal, csv.slice(0, 40))
})
