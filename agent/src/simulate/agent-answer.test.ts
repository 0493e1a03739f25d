import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeAnswer } from './agent-answer.ts'

test('an answer is judged by its body alone, as osquery judges it', () => {
  const accepted: [string, Record<string, unknown>][] = [
    ['', {}],
    ['{}', {}],
    ['{"node_invalid":false,"queries":{}}', { node_invalid: false, queries: {} }],
    ['{"node_invalid":"true"}', { node_invalid: 'true' }],
  ]
  for (const [text, body] of accepted) assert.deepEqual(judgeAnswer(text), { accepted: true, body }, text)

  const refused: [string, string, boolean][] = [
    ['<html>502</html>', 'not_json', false],
    ['[]', 'not_json', false],
    ['null', 'not_json', false],
    ['{"error":null}', 'error_answer', false],
    ['{"error":"no","node_invalid":false}', 'error_answer', false],
    ['{"error":"no","node_invalid":true}', 'node_invalid', true],
  ]
  for (const [text, fault, isNodeInvalid] of refused) {
    assert.deepEqual(judgeAnswer(text), { accepted: false, fault, isNodeInvalid }, text)
  }
})
