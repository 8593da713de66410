import { STATUS_ID, type Status } from '@solstice/contracts'
import { openPage } from './app.tsx'
import { StatusPage } from './status/status-page.tsx'
import type { PageProps } from './ui/loading/page-props.ts'

const json = document.getElementById(STATUS_ID)?.textContent
const first = json ? (JSON.parse(json) as Status) : null

openPage(({ locale, onLocale }: PageProps) => (
  <StatusPage locale={locale} onLocale={onLocale} first={first} />
))
