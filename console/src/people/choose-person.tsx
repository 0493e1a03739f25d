import { Button, Modal, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure } from '../components/notices.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { visibleText } from '../components/visible-text.ts'
import { personViewsQuery } from './person-queries.ts'

export type ChosenPerson = { readonly id: string; readonly name: string; readonly email: string }

type Parts = {
  readonly title: string
  readonly onChoose: (person: ChosenPerson) => void
  readonly onClose: () => void
}

const shown = 6

/** A person, by a part of their name or e-mail address. */
export function ChoosePerson({ title, onChoose, onClose }: Parts) {
  const [text, setText] = useState('')
  const search = useDebounced(text.trim(), 200)
  const found = useQuery(personViewsQuery({ status: 'active', ...(search !== '' && { search }) }, undefined, shown))
  const people = found.data?.data
  return (
    <Modal opened onClose={onClose} title={title} withCloseButton={false}>
      <div className="confirm">
        <TextInput
          label="Person"
          description="Part of their name or e-mail address"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        <LoadFailure what="People" query={found} />
        <section className="stack" aria-label="People found">
          {people?.map(({ id, name, email }) => (
            <Button key={id} variant="default" onClick={() => onChoose({ id, name, email })}>
              {visibleText(name)} · {visibleText(email)}
            </Button>
          ))}
          {people?.length === 0 && (
            <p className="secondary">
              {search === '' ? 'There are no people yet. Add them in People.' : 'No people match.'}
            </p>
          )}
          {found.data?.pagination.next_cursor ? <p className="secondary small">Type more to find others.</p> : null}
        </section>
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Modal>
  )
}
