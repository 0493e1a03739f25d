import type { PrivacyKeyView } from '@muster/contract/console-settings.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { visibleText } from '../components/visible-text.ts'

const route = getRouteApi('/shell/settings/privacy')

/** Which programs read what is learnt, and who answers for each: for every administrator. */
export function PrivacyKeys() {
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(query('listPrivacyKeys', { query: { per_page: 25, cursor: after } }))
  return (
    <Block
      title="API keys"
      about="Programs with a key can read everything that Muster knows of machines and people. An administrator is responsible for each."
    >
      <ListBody<PrivacyKeyView>
        list={list}
        name="API keys"
        empty={<Emptiness title="No API keys yet." />}
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
        isInset
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Key</th>
                <th className="w-200">Responsible</th>
                <th>May do</th>
                <th className="numeric w-120">Last used</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <KeyRow key={row.id} row={row} />
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </Block>
  )
}

function KeyRow({ row }: { row: PrivacyKeyView }) {
  const [name, responsible] = [visibleText(row.name), visibleText(row.responsible_administrator)]
  return (
    <tr>
      <td className="c-name">
        <span className="medium ellipsis" title={name}>
          {name}
        </span>
      </td>
      <td className="c-lead secondary" title={responsible}>
        {responsible}
      </td>
      <td className="c-sub wrap secondary">
        {row.permissions.map((permission) => permissions[permission].title).join(', ') || 'Read only'}
      </td>
      <td className="c-time numeric secondary">
        <RelativeTime time={row.last_used_at} missing="never" />
      </td>
    </tr>
  )
}
