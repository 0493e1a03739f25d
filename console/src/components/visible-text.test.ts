import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleLines, visibleText } from './visible-text.ts'

test('hidden characters are shown by their codes, joiners that a text needs are not', () => {
  const text = '👩‍🚀 علی\u200cرضا an\u200da\u202e\n'
  assert.equal(visibleText(text), '👩‍🚀 علی\u200cرضا an\\u200da\\u202e\\u000a')
  assert.equal(visibleLines(text), '👩‍🚀 علی\u200cرضا an\\u200da\\u202e\n')
})
