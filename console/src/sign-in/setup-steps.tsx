import { Fragment } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { visibleText } from '../components/visible-text.ts'
import { type ProviderName, providerOf, readerOf, type SetupValues, textsOf } from './providers.tsx'

type Parts = { readonly provider: ProviderName; readonly values: SetupValues }

/** What to select and what to copy at the other side, in order. */
export const SetupSteps = ({ provider, values }: Parts) => (
  <>
    <UnreachableAddress address={values.issuer} reader={readerOf(provider)} />
    <ol className="setup-steps">
      {stepsOf({ provider, values }).map(({ says, texts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: no step moves
        <li key={index}>
          <div>{says}</div>
          {texts.length > 0 && (
            <dl className="setup-values">
              {texts.map(([label, text]) => (
                <Fragment key={`${label} ${text}`}>
                  <dt className="secondary">{label}</dt>
                  <dd>
                    {text === undefined ? (
                      <span className="secondary">Shown once when it was made. Replace it if it is lost.</span>
                    ) : (
                      <>
                        <code>{visibleText(text)}</code>
                        <CopyButton text={text} label={`the ${label.toLowerCase()}`} />
                      </>
                    )}
                  </dd>
                </Fragment>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ol>
  </>
)

const stepsOf = ({ provider, values }: Parts) =>
  providerOf(provider).steps.flatMap(({ says, values: wanted }) => {
    const texts = wanted?.flatMap((value) => textsOf(value, values)) ?? []
    if (wanted !== undefined && texts.length === 0) return []
    return [{ says: typeof says === 'function' ? says(values) : says, texts }]
  })
