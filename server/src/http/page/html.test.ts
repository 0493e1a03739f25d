import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('hidden characters are replaced, joiners that a text needs, tabs and ends of lines stay', () => {
  const text = '👩‍🚀 علی\u200cرضا\tan\u200da\u202e\n\u0000'
  assert.equal(html`<p>${text}</p>`.html, '<p>👩‍🚀 علی\u200cرضا\tan\ufffda\ufffd\n\ufffd</p>')
})
