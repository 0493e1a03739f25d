import './markdown.css'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { visibleLines } from './visible-text.ts'

const layoutQuery = queryOptions({
  queryKey: ['markdown'],
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
  queryFn: async () => ({ layOut: (await import('./markdown-elements.tsx')).markdownElements }),
})

/** Text in Markdown that people read. Until its layout is loaded, and where it cannot be, it is shown as it is written. */
export function Markdown({ text }: { text: string }) {
  const layout = useQuery(layoutQuery)
  return layout.data ? (
    <div className="markdown">{layout.data.layOut(text)}</div>
  ) : (
    <div className="markdown unlaid">{visibleLines(text)}</div>
  )
}
