import type { DraftJudgement } from '@muster/contract/console-drafts.ts'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { visibleLines, visibleText } from '../components/visible-text.ts'

type Name = keyof DraftJudgement['sections']

const sectionWords: Readonly<Record<Name, string>> = {
  osquery_sql: 'Query',
  notification_templates: 'Texts',
  details: 'Details',
  privacy_center_details: 'Privacy',
}

const stateWords: Readonly<Record<'missing' | 'bad' | 'good', readonly [MarkName, string]>> = {
  missing: ['pending', 'Missing'],
  bad: ['cross', 'Bad'],
  good: ['tick', 'Good'],
}

/** The states of the four sections, with what keeps each from being good. */
export const Sections = ({ judgement }: { judgement: DraftJudgement }) => (
  <section aria-labelledby="draft-sections">
    <h2 id="draft-sections">What it lacks</h2>
    <ul className="draft-sections" aria-live="polite">
      {(Object.keys(sectionWords) as Name[]).map((name) => {
        const { status, reasons } = judgement.sections[name]
        const [mark, word] = stateWords[status]
        return (
          <li key={name}>
            <div className="row between">
              <span className="m">{sectionWords[name]}</span>
              <span className={status === 'bad' ? 'state bad' : 'state t2'}>
                <Mark name={mark} />
                {word}
              </span>
            </div>
            {reasons.length > 0 && (
              <ul className="sm t2">
                {reasons.map((reason) => (
                  <li key={reason}>{visibleText(reason)}</li>
                ))}
              </ul>
            )}
          </li>
        )
      })}
    </ul>
  </section>
)

/** The texts with the example rows filled in; Markdown is shown as it is written. */
export const TextPreview = ({ judgement, title }: { judgement: DraftJudgement; title: string }) => (
  <section className="sec" aria-labelledby="draft-preview">
    <h2 id="draft-preview">As owners read it</h2>
    <p className="m">{title === '' ? <span className="t3">No title yet</span> : visibleText(title)}</p>
    <p className="draft-text">{judgement.rationale === null ? <Unmade /> : visibleLines(judgement.rationale)}</p>
    <p className="draft-text">
      {judgement.fix_instructions === null ? <Unmade /> : visibleLines(judgement.fix_instructions)}
    </p>
  </section>
)

const Unmade = () => <span className="t3">Not written yet, or it cannot be made; see “Texts” above.</span>
