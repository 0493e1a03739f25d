import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmailAddress } from './email-address.ts'

const taken = [
  ...['ana@acme.example', 'a@b.c', 'ana.ruiz+test@mail.acme.example', "o'neil@acme.example", '1@1.example'],
  ...[
    'a{b}|c~d@acme.example',
    'a`b@acme.example',
    'a/b=c@xn--bcher-kva.example',
    'Ana@ACME.Example',
    'a..b@acme.example',
  ],
  ...[
    'rené@acme.example',
    'ana@bücher.example',
    'rene\u0301@bu\u0308cher.example',
    '用户@例え.テスト',
    'अजय@डाटा.भारत',
  ],
  ...['мария@почта.рф', 'علي@مثال.إختبار', `${'x'.repeat(64)}@acme.example`, `a@${'x'.repeat(63)}.example`],
]

const refused = [
  ...['', '@', 'ana', 'ana@', '@acme.example', 'ana@acme', 'root@localhost', 'a@b@acme.example', 'ana@acme.example@'],
  ...['mailto:ana@acme.example', '<ana@acme.example>', 'Ana <ana@acme.example>', '"ana"@acme.example', '"a@b.example"'],
  ...['["ana@acme.example"]', '{"value":"ana@acme.example"}', 'a@x.example,b@x.example', 'a@x.example;b@x.example'],
  ...['ana@acme,example', 'ana@acme..example', 'ana@.acme.example', 'ana@acme.example.', 'ana@acme_x.example'],
  ...[
    'ana@-acme.example',
    'ana@acme-.example',
    `a@${'x'.repeat(64)}.example`,
    'ana@[192.0.2.1]',
    'ana@acme.example:25',
  ],
  ...[' ana@acme.example', 'ana@acme.example ', 'ana@acme.example\n', 'an a@acme.example', 'ana\u00a0@acme.example'],
  ...['ana@ac\u200bme.example', 'an\u200ba@acme.example', 'ana@acme\u200d.example', 'a\u200cb@acme.example'],
  ...['ana\u202e@acme.example', '\ufeffana@acme.example', 'a\u00adna@acme.example', 'a\u2060na@acme.example'],
  ...[
    'a\u3164na@acme.example',
    'ana\ufe0f@acme.example',
    'ana@\u115f.example',
    'ana\u034f@acme.example',
    'a\0@b.example',
  ],
  ...[
    'ana@acme。example',
    'ana@acme．example',
    '“ana”@acme.example',
    '🙂@acme.example',
    'ana＠acme.example',
    'a\ud800@b.c',
  ],
  `${'x'.repeat(310)}@acme.example`,
]

test('an e-mail address is what mail could go to', () => {
  for (const text of taken) assert.equal(isEmailAddress(text), true, text)
})

test('what only looks like an e-mail address is refused', () => {
  for (const text of refused) assert.equal(isEmailAddress(text), false, JSON.stringify(text))
})

test('a long text that is no address is refused at once', () => {
  assert.equal(isEmailAddress(`${'a.'.repeat(100_000)}@`), false)
  assert.equal(isEmailAddress(`a@${'a-'.repeat(150)}`), false)
})
