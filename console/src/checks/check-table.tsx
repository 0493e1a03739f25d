import type { CheckView } from '@muster/contract/console-checks.ts'
import type { CheckSort } from '@muster/contract/console-values.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'
import { type Column, Records } from '../components/records.tsx'
import { menuColumn } from '../components/row-menu.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useCheckVerbs, useMayWriteChecks } from './check-verbs.tsx'
import { kindWords, percentOf, platformsOf, undecidedOf, undecidedText } from './check-words.ts'

type Parts = {
  readonly rows: readonly CheckView[]
  readonly sort: CheckSort | undefined
  readonly onSort: (sort: CheckSort | undefined) => void
}

const missing = <span className="faint">—</span>
const nameOf = (check: CheckView) => visibleText(check.name)
const countText = (count: number) => (count === 0 ? <span className="faint">0</span> : count.toLocaleString('en'))

const columns: readonly Column<CheckView, CheckSort>[] = [
  {
    text: 'Check',
    className: 'cell-check',
    order: { ascending: 'usual', descending: '-name' },
    cell: (check) => (
      <>
        <Link
          to="/checks/$checkId"
          params={{ checkId: check.id }}
          className="medium ellipsis"
          data-row-link
          title={nameOf(check)}
        >
          {nameOf(check)}
        </Link>
        <div className="small secondary ellipsis" title={visibleText(check.description)}>
          {visibleText(check.description)}
        </div>
      </>
    ),
  },
  { text: 'Runs on', head: 'w-check-platforms', className: 'secondary cell-platforms', cell: platformsOf },
  {
    text: 'When it fails',
    head: 'w-check-strategy',
    className: 'cell-strategy',
    cell: (check) =>
      check.is_paused ? <span className="secondary">Paused, does not run</span> : strategyWords[check.strategy],
  },
  { text: 'Kind', head: 'w-check-kind', className: 'secondary cell-kind', cell: ({ kind }) => kindWords[kind] },
  {
    text: 'Tags',
    head: 'w-check-tags',
    className: 'cell-tags',
    cell: ({ tags }) =>
      tags.length === 0
        ? missing
        : tags.map(({ id, name }) => (
            <span className="tag ellipsis" key={id} title={visibleText(name)}>
              {visibleText(name)}
            </span>
          )),
  },
  {
    text: 'Failing',
    head: 'numeric w-check-failing',
    className: 'numeric cell-failing',
    cell: ({ failing }) => countText(failing),
  },
  {
    text: 'No result',
    head: 'numeric w-check-undecided',
    className: 'numeric cell-undecided',
    title: undecidedText,
    cell: (check) => countText(undecidedOf(check)),
  },
  {
    text: 'Passing',
    head: 'numeric w-check-passing',
    className: 'numeric cell-passing',
    order: { ascending: 'passing', descending: '-passing' },
    cell: (check) => <Passing check={check} />,
  },
]

/** No column of dashes: tags have one where a check of the page has any. */
const shownFor = (rows: readonly CheckView[]) =>
  rows.some(({ tags }) => tags.length > 0) ? columns : columns.filter(({ text }) => text !== 'Tags')

export function CheckTable({ rows, sort, onSort }: Parts) {
  const mayConfigure = useMay('configure_checks')
  const mayWrite = useMayWriteChecks()
  const menu = menuColumn<CheckView>({
    nameOf,
    menuOf: (check) =>
      mayConfigure || (mayWrite && check.kind !== 'catalogue')
        ? (items) => <CheckMenu check={check} menu={items} />
        : undefined,
  })
  return <Records isTall rows={rows} columns={[...shownFor(rows), menu]} order={{ sort, onSort }} />
}

function Passing({ check }: { check: CheckView }) {
  const percent = percentOf(check)
  if (percent === undefined) return missing
  return (
    <>
      {percent}&thinsp;%{' '}
      <span className="faint small">
        {check.passing.toLocaleString('en')} / {check.counted.toLocaleString('en')}
      </span>
    </>
  )
}

const nothingMore = () => undefined

function CheckMenu({ check, menu }: { check: CheckView; menu: (items: ReactNode) => ReactNode }) {
  const { verbs, dialogs } = useCheckVerbs({ check, onDeleted: nothingMore })
  return (
    <>
      {menu(<VerbItems verbs={[verbs.draft, verbs.pause, verbs.resume, verbs.delete]} />)}
      {dialogs}
    </>
  )
}
