import { openPage } from './app.tsx'
import { AwayPage } from './sky/away-page.tsx'

openPage(AwayPage)
