package report

// style is the page's sheet. Fills are pale under dark ink by day and deep under light
// ink by night, so that what is written on them can be read in both.
const style = `
:root{--bg:#fff;--card:#f5f6f8;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--bad:#b3261e;--ask:#b35900;--mild:#7a5b00;
--good:#1a6e37;--calm:#0b5cad;
--r:#c8372d;--o:#d06a0a;--y:#a08200;--g:#737e8a;--b:#2f76c2;--w:#7f8b98;
--s0:#cfe3fa;--s1:#d3efd8;--s2:#fbe3bd;--s3:#e6d8f7;--s4:#f9d5dd;--s5:#cdeeee;--s6:#e9e7b8;--s7:#dde1e6}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--card:#181d24;--ink:#e8ecf1;--soft:#a3adb8;--line:#343c46;
--bad:#ff9a92;--ask:#ffb877;--mild:#f0d06b;
--good:#7fd89a;--calm:#8cc2ff;--r:#d8564c;--o:#d07f33;--y:#bd9a2c;--g:#727d89;--b:#4a8ed4;--w:#667484;
--s0:#1d4672;--s1:#1f5230;--s2:#66430f;--s3:#4b3372;--s4:#6b2b3b;--s5:#17514f;--s6:#54511a;--s7:#3d4650}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 20px 48px}h1{font-size:24px;margin:0;overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 10px}
.when{margin:2px 0 18px;color:var(--soft)}section{margin:0 0 28px}
.top{display:flex;gap:20px;align-items:center;flex-wrap:wrap}.top>div:last-child{flex:1 1 320px}
.top p{margin:4px 0}
.score{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 22px;text-align:center}
.score b{display:block;font-size:40px;line-height:1.1}.score span,.tiles span{color:var(--soft)}
.score.good b{color:var(--good)}.score.low b{color:var(--bad)}
.warn{color:var(--bad);font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(155px,1fr));gap:12px}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px}
.tiles b{display:block;font-size:24px;line-height:1.2}
.tiles span,.tiles small{display:block}.tiles small{color:var(--soft);font-size:13px}ul{margin:0;padding-left:20px}
li{margin:4px 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:5px 6px;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child{min-width:110px}th{color:var(--soft);font-weight:600}.t{text-align:left;overflow-wrap:anywhere}
.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
figure{margin:0 0 28px;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
figcaption{font-weight:600;margin-bottom:4px}figure small{color:var(--soft);font-size:12px}
figure p{margin:0 0 8px;color:var(--soft);font-size:13px}
figure p i{display:inline-block;width:11px;height:11px;border-radius:3px;margin:0 5px 0 0}
figure p span{margin-right:12px}
.bars{display:grid;grid-template-columns:fit-content(32%) 1fr auto;gap:6px 10px;align-items:center;font-size:13px;
line-height:1.3}
.bars>span{text-align:right;overflow-wrap:anywhere}.bars>div{display:flex;height:18px}
.bars i{min-width:2px;border-radius:2px}.bars small{text-align:right}
.time{grid-template-columns:fit-content(32%) 1fr}.time>div{position:relative;height:20px;
background:linear-gradient(var(--line),var(--line)) 0/1px 100% no-repeat}
.time i{position:absolute;top:2px;bottom:2px;text-align:center;font-style:normal;font-size:12px;line-height:16px;
white-space:nowrap}.time .m{width:2px;margin-left:-1px;background:var(--r)}
.time>.ticks{background:none}
.ticks small{position:absolute;transform:translateX(-50%);white-space:nowrap;text-align:left}
.ticks small:first-child{transform:none}.ticks small:last-child{transform:translateX(-100%)}
.days{display:grid;grid-template-columns:auto 1fr;gap:8px;height:190px;padding:8px 0 22px}
.days>div:first-child{display:flex;flex-direction:column;justify-content:space-between;text-align:right;
margin:-9px 0}
.days>div:last-child{position:relative;display:flex;border-bottom:1px solid var(--line);
background:linear-gradient(var(--line),var(--line)) 0 0/100% 1px no-repeat,
linear-gradient(var(--line),var(--line)) 0 50%/100% 1px no-repeat}
.days>div>span{flex:1 1 0;min-width:0;position:relative;display:flex;flex-direction:column-reverse}
.days i{width:70%;max-width:48px;margin:0 auto;min-height:1px}
.days span small{position:absolute;top:100%;left:50%;transform:translateX(-50%);margin-top:3px;white-space:nowrap}
.days svg{position:absolute;inset:0;width:100%;height:100%}
polyline{fill:none;stroke:var(--b);stroke-width:2.5;vector-effect:non-scaling-stroke}
footer{color:var(--soft);font-size:13px;border-top:1px solid var(--line);padding-top:12px}
.r{background:var(--r)}.o{background:var(--o)}.y{background:var(--y)}.g{background:var(--g)}
.b{background:var(--b)}.w{background:var(--w)}
.s0{background:var(--s0)}.s1{background:var(--s1)}.s2{background:var(--s2)}.s3{background:var(--s3)}
.s4{background:var(--s4)}.s5{background:var(--s5)}.s6{background:var(--s6)}.s7{background:var(--s7)}
@media (max-width:720px){main{padding:18px 12px}.tight span,.ticks small:nth-child(even){display:none}
.ticks small:last-child{display:none}}
@media (max-width:880px){thead{display:none}
tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:7px 0;border-bottom:1px solid var(--line)}
td{padding:0;border:0}td:first-child{flex:0 0 100%;font-weight:600}td.n,td.t{text-align:left}
td:not(:first-child)::before{content:attr(data-head) " ";color:var(--soft)}}
`
