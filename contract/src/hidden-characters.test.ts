import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceHidden, withoutJoiners } from './hidden-characters.ts'

const shown = (text: string) => replaceHidden(text, () => '?')

const kept = [
  ...['👨‍👩‍👧‍👦', '👩🏽‍💻', '🏳️‍🌈', '🏴‍☠️', '🕵️‍♂️', '❤️‍🔥', 'Ana 👩‍🚀 Ruiz', '🧑🏿‍🦰'],
  ...['می\u200cخواهم', 'علی\u200cرضا', 'نَ\u200cی', 'क्\u200dष', 'क्\u200cष', 'ශ්\u200dරී', 'ন্\u200dত', 'ക്\u200dഷ'],
  ...['Zoë Ruiz', 'العربية', '\u00a0', ''],
]

const replaced: [text: string, seen: string][] = [
  ['an\u200da', 'an?a'],
  ['an\u200ca', 'an?a'],
  ['а\u200dн\u200cа', 'а?н?а'],
  ['αn\u200dα', 'αn?α'],
  ['1\u200d2', '1?2'],
  ['👩\u200d', '👩?'],
  ['\u200d👩', '?👩'],
  ['👩\u200dx', '👩?x'],
  ['👩\u200c🚀', '👩?🚀'],
  ['👩\u200d\u200d🚀', '👩??🚀'],
  ['👩\u200b🚀', '👩?🚀'],
  ['می\u200c', 'می?'],
  ['\u200cمی', '?می'],
  ['م\u200c\u200cی', 'م??ی'],
  ['م\u200ba', 'م?a'],
  ['م\u200ca', 'م?a'],
  ['م\u200c.', 'م?.'],
  ['م\u200bی', 'م?ی'],
  ['م\u200fی', 'م?ی'],
  ['a\u0000b\u202ec\u2066d\ufeffe\u2060', 'a?b?c?d?e?'],
]

test('joiners within emoji and between letters that need them are part of a text', () => {
  for (const text of kept) assert.equal(shown(text), text)
  assert.deepEqual(['👩‍🚀', 'می\u200cخ', 'an\u200da', 'م\u200ba'].map(withoutJoiners), [
    '👩🚀',
    'میخ',
    'an\u200da',
    'م\u200ba',
  ])
})

test('every other hidden character is replaced', () => {
  for (const [text, seen] of replaced) assert.equal(shown(text), seen, JSON.stringify(text))
})
