import { openPage } from './app.tsx'
import { AwayPage } from './away-page.tsx'

openPage(AwayPage)
