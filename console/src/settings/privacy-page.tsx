import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness, Failure } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { Mark } from '../components/state-shape.tsx'
import { PrivacyKeys } from './privacy-keys.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const neverRead = [
  'Pages visited, histories and bookmarks',
  'Passwords, keys, and contents of files or messages',
  'Environments of programs, clipboard, screen and location',
  'DNS lookups, and sign-in times on the machine',
]

/** What is learnt of devices, and of people by it. */
export function PrivacyPage() {
  const facts = useQuery(settingFactsQuery)
  const session = useSession()
  const isOff = session?.disabled_features.includes('reporting') ?? false
  const blocked = facts.data?.blocked_tables ?? []
  return (
    <SettingsFrame
      title="Privacy"
      lead="What Muster collects from machines, so that you can explain it to your people."
      isWide
    >
      <Block
        title="At enrollment"
        about="Name, serial number, hardware identifiers, platform, operating system, and the IP address the machine connects from."
      />
      <Block
        title="Checks"
        about={
          <>
            Each check asks one question, whose SQL its page shows; kept are the outcome and the rows of failures.{' '}
            <Link className="underlined" to="/checks">
              {facts.data ? `All ${facts.data.counts.checks} checks` : 'All checks'}
            </Link>
          </>
        }
      />
      <Block
        title="Live queries"
        about={
          blocked.length === 0
            ? 'Administrators with the permission can ask machines anything that osquery can answer. Every query is recorded in the audit log.'
            : 'Administrators with the permission can ask machines anything that osquery can answer, except from these tables. Every query is recorded in the audit log.'
        }
      >
        {facts.isError && (
          <Failure
            what="The blocked tables could not be loaded."
            error={facts.error}
            onRetry={() => void facts.refetch()}
          />
        )}
        {blocked.length > 0 && (
          <div className="tags">
            {blocked.map((table) => (
              <code key={table} className="tag">
                {table}
              </code>
            ))}
          </div>
        )}
      </Block>
      <PrivacyKeys />
      <Block title="Never read" about="By the inventory. Muster’s own tests reject tables with such data.">
        <ul className="lines">
          {neverRead.map((text) => (
            <li key={text} className="line">
              <Mark name="struck" />
              {text}
            </li>
          ))}
        </ul>
      </Block>
      <Block
        title="Inventory"
        about={
          isOff
            ? 'None: reporting is off for this organization.'
            : 'Tables that machines report on a schedule. Anyone with console access or an API key can read them.'
        }
      >
        {!isOff && <InventoryTables />}
      </Block>
    </SettingsFrame>
  )
}

function InventoryTables() {
  const tables = useQuery(query('listReportingTables', { query: { per_page: 100 } }))
  return (
    <ListBody list={tables} name="Tables" empty={<Emptiness title="There is no table." />} isInset>
      {(rows) => (
        <>
          <thead>
            <tr>
              <th className="w-240">Table</th>
              <th>What it holds</th>
            </tr>
          </thead>
          <tbody>
            {rows
              .filter(({ name }) => name.startsWith('device_'))
              .map((table) => (
                <tr key={table.name}>
                  <td className="c-name">
                    <a
                      className="underlined"
                      href={new URL(table.documentation_url).pathname + new URL(table.documentation_url).hash}
                    >
                      <code>{table.name}</code>
                    </a>
                  </td>
                  <td className="c-sub wrap secondary">{table.description}</td>
                </tr>
              ))}
          </tbody>
        </>
      )}
    </ListBody>
  )
}
