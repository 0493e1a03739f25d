import type { DraftJudgement } from '@muster/contract/console-drafts.ts'
import { Markdown } from '../components/markdown.tsx'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

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
    <h2 id="draft-sections">Before you publish</h2>
    <ul className="draft-sections" aria-live="polite">
      {(Object.keys(sectionWords) as Name[]).map((name) => {
        const { status, reasons } = judgement.sections[name]
        const [mark, word] = stateWords[status]
        return (
          <li key={name}>
            <div className="row between">
              <span className="medium">{sectionWords[name]}</span>
              <span className={status === 'bad' ? 'state bad' : 'state secondary'}>
                <Mark name={mark} />
                {word}
              </span>
            </div>
            {reasons.length > 0 && (
              <ul className="small secondary">
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

/** The texts with the example rows filled in. */
export const TextPreview = ({ judgement, title }: { judgement: DraftJudgement; title: string }) => (
  <section className="section draft-preview" aria-labelledby="draft-preview">
    <h2 id="draft-preview">What owners see</h2>
    <p className="medium">{title === '' ? <span className="faint">No title yet</span> : visibleText(title)}</p>
    {judgement.rationale === null ? <Unmade /> : <Markdown text={judgement.rationale} />}
    {judgement.fix_instructions === null ? <Unmade /> : <Markdown text={judgement.fix_instructions} />}
  </section>
)

const Unmade = () => <p className="faint">Nothing to preview yet.</p>
