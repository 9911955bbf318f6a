/**
 * What an assistant might remember of five other people: a lead of a software
 * team, a beekeeper, a bookseller, a teacher of chemistry and a skipper. Held
 * apart: no weight and no synonym was chosen with a look at it.
 */
import { memoriesOf } from "./memories.js"

export const memories = memoriesOf(`
1|Deploy window|Releases go out on Tuesdays and Wednesdays before noon, never on a Friday
2|On-call rota|Priya carries the pager in odd weeks, Tomas in even ones
3|Database upgrade|The move from Postgres 14 to 16 is planned for the second weekend of March
4|Flaky test|The checkout suite fails about once in forty runs because of a clock skew
5|Code review|Two approvals are needed for anything under payments, one elsewhere
6|Incident of June|An expired certificate took the login page down for fifty minutes
7|Feature flags|Old flags are deleted after ninety days; the script lives in tools/sweep
8|Staging data|Staging is refreshed from an anonymised snapshot every Sunday night
9|Linting|The team voted for tabs, and the formatter decides everything else
10|Budget for cloud|The monthly bill may not exceed nine thousand dollars
11|New hire|Kwame starts in April and will sit with the platform group
12|Retrospective|Retros are held every third Thursday, without managers
13|API deprecation|Version 1 of the orders endpoint is switched off in October
14|Secrets|Keys are rotated each quarter through the vault, never by mail
15|Standup|The daily is at a quarter past nine and ends after ten minutes
16|Logging|Customer names must not appear in logs since the audit
17|Architecture diagram|The current drawing hangs in the wiki under Platform, Overview
18|Monorepo|Mobile and web were merged into one repository last autumn
19|Search service|The search team wants to replace Solr and is trying Meilisearch
20|Load test|The shop held four thousand requests a second before the queue filled up
21|Hive count|There are eleven colonies, seven by the orchard and four behind the mill
22|Queen marking|Queens of this year carry a blue dot
23|Varroa treatment|Oxalic acid is trickled in on a cold day between Christmas and New Year
24|Swarm|Hive five swarmed in May and was caught in the lime tree
25|Honey harvest|The lime blossom gave 140 kilos, the best in eight years
26|Jars|Half-kilo glasses with golden lids come from the supplier in Brno
27|Sting reaction|Her nephew carries an adrenaline pen when he helps with the bees
28|Winter feed|Each colony gets fourteen kilos of sugar syrup by mid September
29|Smoker fuel|Dried tansy and hessian burn coolest in the smoker
30|Wasps|Entrances are narrowed in August because wasps rob weak colonies
31|Apiary inspection|The veterinary office looks for foulbrood each June
32|Market stall|The honey is sold on the square every first Saturday, stall 19
33|Wax|Old combs are melted in the solar melter and traded for foundation
34|Neighbour's complaint|Mr Dolezal complained that bees drink from his pond
35|Extractor|The borrowed extractor must go back to the club before July
36|Weather station|The scale under hive two sends its weight every hour
37|Mead|Last year's mead turned sour since the yeast was too warm
38|Fence|Deer broke the fence by the orchard, two posts are missing
39|Labels|New labels need the origin in words, as the law has it since spring
40|Course|She teaches beginners at the club on four evenings in February
41|Opening hours|The bookshop is open from ten to seven, on Sundays only in Advent
42|Bestseller|The cookbook by Okafor sold two hundred copies before Easter
43|Reading night|Authors read on the last Friday of the month, thirty chairs at most
44|Returns|Unsold titles may be sent back to the wholesaler within six months
45|Shop cat|Baskerville sleeps in the travel section and may not be fed
46|Window display|The front window is redone on the first Monday, in March with gardens
47|Till|The cash register freezes when the receipt roll runs out
48|Student discount|Pupils with a card from the grammar school pay ten per cent less
49|Rare edition|A signed first edition of Szymborska is locked in the glass cabinet
50|Apprentice|Lena finishes her apprenticeship in July and would like to stay
51|Damp cellar|The stock in the basement has to stand on pallets since the flood
52|Online orders|Parcels leave with the courier at four in the afternoon
53|Book club|The Tuesday circle reads only translated fiction this year
54|Gift vouchers|Vouchers are valid for three years and are not paid out
55|Regular customer|Dr Haas collects everything about lighthouses and wants a call first
56|Shelving|Poetry moved upstairs next to the children's corner
57|Insurance claim|The insurer paid 3,100 for the water damage
58|Supplier strike|Deliveries from Leipzig were late for two weeks in November
59|Wrapping paper|The recycled wrapping paper with the fox pattern is almost used up
60|Rent negotiation|The lease of the shop ends in 2028 and may rise by the index only
61|Lab rules|Goggles stay on until the last group has cleaned up
62|Class 9b|9b has twenty-eight pupils, three of them colour-blind
63|Titration|The indicator for the titration practical is bromothymol blue
64|Fume cupboard|The second fume cupboard is out of order until the technician comes
65|Exam dates|The written finals in chemistry are on 12 May
66|Parents' evening|Mrs Amsel asked for more homework for her twins
67|School trip|The tenth form visits the salt mine in Hallein in October
68|Thermite|The thermite demonstration is only allowed outdoors, with sand
69|Grading|Protocols count for a third of the mark
70|Substitute|When she is away, Mr Oduya takes her lessons
71|Acid store|Concentrated sulfuric acid is in the lower yellow cabinet, key in the office
72|Olympiad|Jonas reached the national round of the chemistry olympiad
73|Projector|The projector in room 204 shows everything slightly green
74|Spill|In January a beaker of copper sulfate ruined a pupil's jacket
75|Textbook|The new textbook explains moles with shoe boxes, which works well
76|Detention|Two boys stay on Thursday because they lit a bin
77|Budget request|She asked the head for six new balances, 90 euros each
78|Allergic pupil|Fatima reacts badly to latex and needs nitrile gloves
79|Model kits|The molecule kits lack red spheres, so oxygen is orange
80|Staff meeting|The staff meets on the first Wednesday after the sixth lesson
81|Boat name|The ketch is called Halcyon and was built in 1978
82|Engine|The diesel was overhauled at 2,300 hours and burns a little oil
83|Mooring|Her berth is C14 in the old harbour, shore power included
84|Draught|With full tanks she draws one metre ninety
85|Crossing|The passage to Gotland took thirty-one hours against a north-easter
86|Sails|The genoa was patched in Kiel and will last one more season
87|Anchor|Sixty metres of chain are marked with red paint every ten
88|Life raft|The raft has to be serviced before June of next year
89|Crew|Anneli gets seasick on the first day and is fine afterwards
90|Radio licence|The VHF certificate is in the chart table, left side
91|Bilge pump|The automatic switch sticks; it is run by hand after rain
92|Fuel|The tank holds 180 litres, a full day at five knots takes forty
93|Antifouling|The hull was painted with hard copper paint, two coats, in April
94|Customs|On arrival from outside the union the yellow flag is raised
95|Galley|The oven lights only when the valve under the sink is opened twice
96|Lightning|A strike in 2023 destroyed the wind instruments
97|Rigging|The standing rigging is from 2011 and the surveyor wants it replaced
98|Winter storage|She stands in hall 3 from October on, mast laid down
99|Harbour fee|A night in Visby cost 42 euros with showers
100|Log book|Entries are made every two hours, with the barometer
`)
