import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Failure } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { useTabTitle } from '../components/use-tab-title.ts'
import './shell.css'

export function NotFound() {
  useTabTitle('Page not found')
  return (
    <main className="page lonely">
      <h1>Page not found</h1>
      <p>
        Check the address, or start from the dashboard.{' '}
        <Link className="underlined" to="/">
          Go to the dashboard
        </Link>
      </p>
    </main>
  )
}

export const MissingPage = () => (
  <Page title="Page not found">
    <div className="page">
      <p>
        Check the address, or start from the dashboard.{' '}
        <Link className="underlined" to="/">
          Go to the dashboard
        </Link>
      </p>
    </div>
  </Page>
)

export function Broken({ error, reset }: ErrorComponentProps) {
  useTabTitle('This page could not be shown')
  return (
    <main className="page lonely">
      <h1>This page could not be shown</h1>
      <Failure what="The console failed." error={error} />
      <Button onClick={reset}>Try again</Button>
    </main>
  )
}
