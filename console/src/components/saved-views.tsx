import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import type { AnswerOf } from '@muster/contract/operations/all-operations.ts'
import type { SavedView, SavedViewPage } from '@muster/contract/saved-views.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { FormFault } from './form-fault.tsx'
import { useAction } from './use-action.ts'
import { visibleText } from './visible-text.ts'
import './saved-views.css'

/** Where someone is in a list is no part of what they look at. */
const passing = new Set(['after', 'from', 'per', 'as_of', 'event', 'delivery'])

const queryOf = (filters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(filters)
      .filter(([name, value]) => value !== undefined && !passing.has(name))
      .map(([name, value]): [string, string] => [name, String(value)])
      .sort(([one], [other]) => one.localeCompare(other)),
  ).toString()

const viewsQuery = (page: SavedViewPage) => query('listSavedViews', { params: { page } })

/** The filters of a list that were given a name, beside those that come with it, and the way to name the present ones. */
export const SavedViews = ({ page }: { readonly page: SavedViewPage }) => (
  <ViewButtons page={page} query={useQuery(viewsQuery(page))} />
)

type ButtonParts = { readonly page: SavedViewPage; readonly query: UseQueryResult<AnswerOf<'listSavedViews'>> }

function ViewButtons({ page, query }: ButtonParts) {
  const search = useRouterState({ select: ({ location }) => location.search as Record<string, unknown> })
  const navigate = useNavigate()
  const [isSaving, setIsSaving] = useState(false)
  const present = queryOf(search)
  const views = query.data?.data ?? []
  const chosen = views.find(({ filters }) => filters === present)
  const open = (filters: string) =>
    navigate({ to: '.', search: Object.fromEntries(new URLSearchParams(filters)) as never })
  return (
    <>
      {views.map((view) => (
        <button
          type="button"
          key={view.id}
          className={view === chosen ? 'on' : ''}
          aria-pressed={view === chosen}
          title={view.is_shared ? 'Visible to everyone' : 'Visible only to you'}
          onClick={() => void open(view.filters)}
        >
          {visibleText(view.name)}
        </button>
      ))}
      {query.isError && query.data === undefined && (
        <button type="button" className="bad" onClick={() => void query.refetch()}>
          Saved views could not be loaded. Try again
        </button>
      )}
      {chosen?.is_own && <DeleteView page={page} view={chosen} />}
      {!chosen && present !== '' && !/^view=\w+$/.test(present) && (
        <button type="button" className="save-view" onClick={() => setIsSaving(true)}>
          Save view…
        </button>
      )}
      <Modal opened={isSaving} onClose={() => setIsSaving(false)} title="Save this view" withCloseButton={false}>
        <SaveForm page={page} filters={present} onClose={() => setIsSaving(false)} />
      </Modal>
    </>
  )
}

/**
 * For lists without views of their own: nothing, until filters are set or have been kept. What it shows does not ask by itself:
 * that would follow a failure with another question, which takes the failure away, for ever.
 */
export function ViewBar({ page }: { readonly page: SavedViewPage }) {
  const search = useRouterState({ select: ({ location }) => location.search as Record<string, unknown> })
  const views = useQuery(viewsQuery(page))
  const isUnfiltered = queryOf(search) === ''
  if (isUnfiltered && !views.isError && (views.data?.data ?? []).length === 0) return null
  return (
    <div className="viewbar">
      <div className="views">
        <Link to="." search={{} as never} className={isUnfiltered ? 'on' : undefined} activeProps={{}}>
          All
        </Link>
        <ViewButtons page={page} query={views} />
      </div>
    </div>
  )
}

type FormParts = { readonly page: SavedViewPage; readonly filters: string; readonly onClose: () => void }

function SaveForm({ page, filters, onClose }: FormParts) {
  const save = useAction({
    act: (given: { name: string; is_shared: boolean }) => api('createSavedView', { body: { page, filters, ...given } }),
    refresh: ['saved_views'],
    said: ({ name }) => `View “${visibleText(name)}” saved`,
    onDone: onClose,
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    save.mutate({ name: String(form.get('name')).trim(), is_shared: form.get('is_shared') === 'on' })
  }
  return (
    <form className="confirm" onSubmit={submit}>
      <TextInput
        name="name"
        label="Name"
        maxLength={60}
        required
        withAsterisk={false}
        error={save.faultOf('name')}
        data-autofocus
      />
      <Checkbox name="is_shared" label="Share with everyone in the console" />
      <FormFault error={save.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={save.isPending}>
          Save view
        </Button>
      </div>
    </form>
  )
}

function DeleteView({ page, view }: { readonly page: SavedViewPage; readonly view: SavedView }) {
  const refresh = ['saved_views'] as const
  const { name, filters, is_shared } = view
  const restore = useAction({
    act: () => api('createSavedView', { body: { page, name, filters, is_shared } }),
    refresh,
  })
  const remove = useAction({
    act: () => api('deleteSavedView', { params: { id: view.id } }),
    refresh,
    said: () => `View “${visibleText(name)}” deleted`,
    undo: () => ({ label: 'Undo', run: () => restore.mutate() }),
  })
  return (
    <button type="button" className="save-view" onClick={() => remove.mutate()}>
      Delete view
    </button>
  )
}
