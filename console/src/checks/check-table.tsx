import type { CheckView } from '@muster/contract/console-checks.ts'
import type { CheckSort } from '@muster/contract/console-values.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'
import { RowMenu, RowMenuHead } from '../components/row-menu.tsx'
import { SortHead } from '../components/sort-head.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useCheckVerbs, useMayWriteChecks } from './check-verbs.tsx'
import { kindWords, percentOf, platformsOf, undecidedOf, undecidedText } from './check-words.ts'

type Parts = {
  readonly rows: readonly CheckView[]
  readonly sort: CheckSort | undefined
  readonly onSort: (sort: CheckSort | undefined) => void
}

export function CheckTable({ rows, sort, onSort }: Parts) {
  const mayConfigure = useMay('configure_checks')
  const mayWrite = useMayWriteChecks()
  return (
    <>
      <thead>
        <tr>
          <SortHead ascending="usual" descending="-name" sort={sort} onSort={onSort}>
            Check
          </SortHead>
          <th className="w-check-platforms">Runs on</th>
          <th className="w-check-strategy">When it fails</th>
          <th className="w-check-kind">Kind</th>
          <th className="w-check-tags">Tags</th>
          <th className="num w-check-failing">Failing</th>
          <th className="num w-check-undecided">No result</th>
          <SortHead
            ascending="passing"
            descending="-passing"
            sort={sort}
            onSort={onSort}
            className="num w-check-passing"
          >
            Passing
          </SortHead>
          <RowMenuHead />
        </tr>
      </thead>
      <tbody>
        {rows.map((check) => (
          <CheckRow key={check.id} check={check} hasMenu={mayConfigure || (mayWrite && check.kind !== 'catalogue')} />
        ))}
      </tbody>
    </>
  )
}

function CheckRow({ check, hasMenu }: { check: CheckView; hasMenu: boolean }) {
  const name = visibleText(check.name)
  const percent = percentOf(check)
  const undecided = undecidedOf(check)
  return (
    <tr className="tall">
      <td className="cell-check">
        <Link to="/checks/$checkId" params={{ checkId: check.id }} className="m ell" data-row-link title={name}>
          {name}
        </Link>
        <div className="sm t2 ell" title={visibleText(check.description)}>
          {visibleText(check.description)}
        </div>
      </td>
      <td className="t2 cell-platforms">{platformsOf(check)}</td>
      <td className="cell-strategy">
        {check.is_paused ? <span className="t2">Paused, does not run</span> : strategyWords[check.strategy]}
      </td>
      <td className="t2 cell-kind">{kindWords[check.kind]}</td>
      <td className="cell-tags">
        {check.tags.length === 0 ? (
          <span className="t3">—</span>
        ) : (
          check.tags.map(({ id, name: tag }) => (
            <span className="tag ell" key={id} title={visibleText(tag)}>
              {visibleText(tag)}
            </span>
          ))
        )}
      </td>
      <td className="num cell-failing">
        {check.failing === 0 ? <span className="t3">0</span> : check.failing.toLocaleString('en')}
      </td>
      <td className="num cell-undecided" title={undecidedText(check)}>
        {undecided === 0 ? <span className="t3">0</span> : undecided.toLocaleString('en')}
      </td>
      <td className="num cell-passing">
        {percent === undefined ? (
          <span className="t3">—</span>
        ) : (
          <>
            {percent}&thinsp;%{' '}
            <span className="t3 sm">
              {check.passing.toLocaleString('en')} / {check.counted.toLocaleString('en')}
            </span>
          </>
        )}
      </td>
      <td className="c-menu">
        {hasMenu && <RowMenu name={name}>{(menu) => <CheckMenu check={check} menu={menu} />}</RowMenu>}
      </td>
    </tr>
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
