import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Emptiness } from '../components/notices.tsx'
import { SqlBlock } from '../components/sql-block.tsx'
import { spanOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { checkFactsQuery } from './check-queries.ts'
import { OwnerTexts } from './owner-texts.tsx'

const route = getRouteApi('/shell/checks/$checkId/query')

export function QueryTab() {
  const { checkId } = route.useParams()
  const { data: facts } = useQuery(checkFactsQuery(checkId))
  if (!facts) return null
  return (
    <section className="prose-column" aria-label="Query">
      {facts.sql === null ? (
        <Emptiness title="Nothing runs on devices." guide="checks">
          Results of this check are reported through the API.
        </Emptiness>
      ) : (
        <Sql sql={facts.sql} template={facts.sql_template} />
      )}
      <h2>What owners see</h2>
      <p className="medium">{visibleText(facts.issue_title)}</p>
      <OwnerTexts rationale={facts.rationale} fixInstructions={facts.fix_instructions} />
      <h2>How it runs</h2>
      <dl className="facts">
        <div className="pair">
          <dt>Runs</dt>
          <dd>every {spanOf(facts.interval_seconds * 1_000)}</dd>
        </div>
        <div className="pair">
          <dt>Issues</dt>
          <dd>
            {facts.primary_key_column === null ? (
              'one of a device at most'
            ) : (
              <span>
                one for each value of <code>{visibleText(facts.primary_key_column)}</code>
              </span>
            )}
          </dd>
        </div>
        <div className="pair">
          <dt>Slug</dt>
          <dd>
            <code className="ellipsis">{visibleText(facts.slug)}</code>
          </dd>
        </div>
        {facts.privacy_info !== '' && (
          <div className="pair">
            <dt>Privacy</dt>
            <dd>{visibleText(facts.privacy_info)}</dd>
          </div>
        )}
      </dl>
    </section>
  )
}

const Sql = ({ sql, template }: { sql: string; template: string | null }) => (
  <>
    <h2>As run on devices</h2>
    <SqlBlock sql={sql} label="the query" />
    {template !== null && template !== sql && (
      <>
        <h2>Source</h2>
        <p className="secondary">Values in braces are the options of the configuration.</p>
        <SqlBlock sql={template} label="the template" />
      </>
    )}
  </>
)
