import { Button, TextInput } from '@mantine/core'
import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useBeside } from '../components/form-fault.tsx'
import { Icon } from '../components/icon.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

/** Tags are given and taken at once; Undo takes it back. */
export function TagEditor({ facts }: { facts: CheckFacts }) {
  const names = facts.tags.map(({ name }) => name)
  const [typed, setTyped] = useState('')
  const put = (wanted: readonly string[]) =>
    api('setCheckTags', { params: { checkId: facts.id }, body: { names: wanted } })
  const undo = useAction<readonly string[]>({ act: put, refresh: ['checks'] })
  const change = useAction<readonly string[]>({
    act: put,
    refresh: ['checks'],
    hasForm: true,
    said: () => `The tags of ${visibleText(facts.name)} are changed`,
    undo: () => ({ label: 'Undo', run: () => undo.mutate(names) }),
    onDone: () => setTyped(''),
  })
  const add = () => {
    if (typed.trim() !== '') change.mutate([...names, typed.trim()])
  }
  return (
    <section className="section tag-editor" aria-labelledby="check-tags">
      <h2 id="check-tags">Tags</h2>
      {names.length > 0 && (
        <div className="tags">
          {names.map((name) => (
            <span className="tag" key={name}>
              <span className="ellipsis" title={visibleText(name)}>
                {visibleText(name)}
              </span>
              <button
                type="button"
                aria-label={`Remove the tag ${visibleText(name)}`}
                onClick={() => change.mutate(names.filter((other) => other !== name))}
              >
                <Icon name="close" size={14} />
              </button>
            </span>
          ))}
        </div>
      )}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <TextInput
          aria-label="Tag to add"
          placeholder="Baseline"
          value={typed}
          maxLength={60}
          error={useBeside(change.faultBeside)}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" loading={change.isPending}>
          Add the tag
        </Button>
      </form>
      <p className="small faint">Saved immediately. Use tags to find checks.</p>
    </section>
  )
}
